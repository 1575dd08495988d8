import { describe, expect, it } from "@effect/vitest"
import type { RunId } from "@steno/contracts"
import { completed, end, report } from "@steno/harness-seam/testing"
import { Failpoint } from "@steno/ledger"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect, Logger } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { operate } from "./testing/hosted-runs.ts"
import { onOutsideAgent } from "./testing/outside-runs.ts"

const operateInterrupt = (runId: RunId, force = false) =>
  ProjectionPort.use((port) => port.submit({ input: { operation: "interrupt", runId, ...(force ? { force: true as const } : {}) } }))

describe("a Turn of an outside agent", () => {
  it.live("that ends with a call running leaves it indeterminate with its output so far", () =>
    onOutsideAgent([{
      steps: [
        report((item) => ({ type: "call-started", call: { itemId: item("make"), tool: "command", input: "make" } })),
        report((item) => ({ type: "call-updated", call: { itemId: item("make") }, outputDelta: "so far" })),
        end({ kind: "lost", unknown: "completion", lastObservation: "gone", availability: "detached" })
      ]
    }], Effect.fnUntraced(function*({ begin, sessions, stored }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin())
      expect(run).toMatchObject({ state: "halted", calls: [{ outcome: "indeterminate", reason: { code: "end-not-reported" } }] })
      expect(stored()[1]?.[1]).toMatchObject({ retainedOutput: { text: "so far", incomplete: true } })
      expect(sessions()).toMatchObject([{ availability: "detached" }])
    })))

  it.live("that ends while the command it asks its client for is being stored is settled behind it, and nothing runs", () => {
    const left = new Set(["createToolCalls:begin", "settleToolCall:begin", "settleTurn:begin"])
    const failOnce = (point: string) => {
      if (left.delete(point)) throw Object.assign(new Error(point), { code: "SQLITE_IOERR_WRITE" })
    }
    return onOutsideAgent([{
      steps: [{ do: "execute", name: "run", tool: "bash", input: { command: "touch ran" }, item: "run" }, end(completed)]
    }], Effect.fnUntraced(function*({ begin, stored, workspace }) {
      const port = yield* ProjectionPort
      const run = yield* port.awaitRest(yield* begin({ approvals: "allow" }))
      expect(run).toMatchObject({ state: "succeeded", calls: [{ outcome: "cancelled" }] })
      expect(stored().map(([type]) => type)).toEqual(["tool-call-started", "tool-call-response", "turn-settled"])
      expect(existsSync(join(workspace, "ran"))).toBe(false)
    })).pipe(Effect.provideService(Failpoint, failOnce))
  })

  it.live("is interrupted natively, and by the end of its program where that must be at once", () =>
    onOutsideAgent([
      { steps: [{ do: "interrupted" }, end({ kind: "interrupted", confirmedBy: "active-turn", availability: "open" })] }
    ], Effect.fnUntraced(function*({ begin, fake }) {
      const port = yield* ProjectionPort
      const runId = yield* begin()
      yield* operateInterrupt(runId)
      expect(yield* port.awaitRest(runId)).toMatchObject({ state: "halted", turns: [{ result: "interrupted" }] })
      expect(fake.running()).toBe(0)
    })))

  it.live("whose program takes no interrupt is lost with it when it is to end at once", () =>
    onOutsideAgent([
      { steps: [{ do: "gate", name: "never" }, end(completed)] }
    ], Effect.fnUntraced(function*({ begin, fake }) {
      const port = yield* ProjectionPort
      const runId = yield* begin()
      yield* operateInterrupt(runId, true)
      expect(yield* port.awaitRest(runId)).toMatchObject({ state: "halted", turns: [{ result: "lost" }] })
      expect(fake.running()).toBe(0)
    })))

  it.live("whose Run another owner has by now is ended with its program as soon as a call of it is refused", () =>
    onOutsideAgent([{
      steps: [
        { do: "gate", name: "taken" },
        report((item) => ({ type: "call-started", call: { itemId: item("make"), tool: "command", input: "make" } })),
        { do: "gate", name: "never" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin, fake, home }) {
      const port = yield* ProjectionPort
      const runId = yield* begin()
      const database = new Database(join(home, "core.sqlite"))
      database.exec("UPDATE run SET epoch = epoch + 1")
      database.close()
      yield* fake.openGate("taken")
      expect(yield* Effect.flip(port.awaitRest(runId))).toMatchObject({ problem: { code: "run-live-elsewhere" } })
      expect(fake.running()).toBe(0)
    })))

  it.live("whose conversation is proven to be gone is followed by no other, and no program is started for one", () =>
    onOutsideAgent([
      { coordinate: "thread-1", steps: [end({ kind: "completed", availability: "unusable" })] }
    ], Effect.fnUntraced(function*({ begin, prepared }) {
      const port = yield* ProjectionPort
      const runId = yield* begin({ kind: "interactive" })
      const run = yield* port.awaitRest(runId)
      expect(run.actionOffers.filter(({ available, operation }) => available && (operation === "send" || operation === "resume"))).toEqual([])
      for (const input of [{ operation: "send", runId, text: "And now?" }, { operation: "resume", runId }] as const) {
        expect(yield* operate(input)).toMatchObject({
          status: "not-applied",
          problem: { code: "turn-control-rejected", explanation: expect.stringContaining("is gone"), possibleEffects: "none" }
        })
      }
      expect(prepared).toHaveLength(1)
      expect(yield* operate({ operation: "end", runId })).toEqual({ status: "applied" })
    })))

  it.live("names the processes that could not be ended with its program", () => {
    const told: Array<unknown> = []
    const logger = Logger.make(({ message }) => void told.push(message))
    return onOutsideAgent([{ steps: [end(completed)] }], Effect.fnUntraced(function*({ begin }) {
      const port = yield* ProjectionPort
      yield* port.awaitRest(yield* begin())
      expect(told.flat()).toEqual([expect.stringMatching(/^Process 4711 of Turn turn_\w+ could not be ended: sleep 9$/)])
    }), Effect.succeed({ survivors: [{ pid: 4711, command: "sleep 9" }] })).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.live.each(["advanceToolCall:begin", "settleToolCall:begin"])("settles with it a call whose own write was refused: %s", (point) => {
    const left = new Set([point])
    const refuseOnce = (reached: string) => {
      if (left.delete(reached)) throw Object.assign(new Error(reached), { code: "SQLITE_CORRUPT" })
    }
    return onOutsideAgent([{
      steps: [
        { do: "execute", name: "run", tool: "bash", input: { command: "true" }, item: "run" },
        { do: "await", name: "run" },
        end(completed)
      ]
    }], Effect.fnUntraced(function*({ begin }) {
      const port = yield* ProjectionPort
      expect(yield* port.awaitRest(yield* begin({ approvals: "allow" }))).toMatchObject({
        state: "succeeded",
        turns: [{ result: "completed" }],
        calls: [{ tool: "bash", outcome: expect.stringMatching(/^(cancelled|indeterminate)$/) }]
      })
    })).pipe(Effect.provideService(Failpoint, refuseOnce))
  })
})
