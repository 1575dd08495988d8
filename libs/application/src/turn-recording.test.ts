import { describe, expect, it } from "@effect/vitest"
import { accepted, type ControlReceipt, ItemId, rejected, type TurnEvent, type TurnHandle } from "@steno/harness-seam"
import { ledgerLayer, RunLedger, TurnLedger } from "@steno/ledger"
import { sampleAdmission, sampleId, sampleInstant, sampleOwner, sampleSettlement } from "@steno/ledger/testing"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TurnPlaces } from "./turn-places.ts"
import { TurnRecording } from "./turn-recording.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** An admitted Turn that is being recorded, and what the record holds of it after its admission. */
const recorded = Effect.gen(function*() {
  const runs = yield* RunLedger
  const turns = yield* TurnLedger
  const { epoch, runId } = yield* runs.admitRun(sampleAdmission(1))
  const turn = { fence: { runId, epoch }, conversationId: sampleId.conversation(1), turnId: sampleId.turn(1) }
  const recording = yield* TurnRecording.make(turns, turn, { places: new TurnPlaces(0), steers: [], model: "asked" })
  const stored = Effect.map(Effect.andThen(recording.flushed, runs.readRun(runId)), (record) =>
    (record?.events ?? []).slice(1).filter((event) => event.type !== "unreadable"))
  return { recording, stored, turn, turns }
})

const onLedger = <A, E>(test: Effect.Effect<A, E, RunLedger | TurnLedger>) =>
  Effect.scoped(Effect.gen(function*() {
    const file = join(yield* temporaryFolder, "core.sqlite")
    return yield* Effect.provide(test, ledgerLayer({ file, access: "write" }))
  }))

const retry = (attempt: number): TurnEvent => ({ type: "provider-retry", attempt, delayMs: 1_000, reason: "busy" })

/** A handle whose harness answers a Steer with `receipt`. */
const handleOf = (receipt: ControlReceipt): TurnHandle => ({
  subscribe: () => () => {},
  result: Effect.never,
  steer: () => Effect.succeed(receipt),
  interrupt: Effect.succeed(accepted),
  changeModel: () => Effect.succeed(accepted)
})

describe("what a harness tells of a Turn", () => {
  it.effect("is stored in the order in which it was told, with its place; previews and reports are not", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored } = yield* recorded
      const diff = { content: "+a", files: [{ path: "a", additions: 1, patch: "+a" }] }
      for (const event of [
        { type: "message-preview", messageId: ItemId.make("m"), content: "I" },
        retry(1),
        { type: "turn-diff-preview", ...diff },
        { type: "usage", report: { summary: "1 token" } },
        retry(2),
        { type: "turn-diff", ...diff },
        { type: "model", model: "answers" }
      ] satisfies ReadonlyArray<TurnEvent>) recording.observe(event)
      expect((yield* stored).map(({ firstSeen, payload, type }) => [type, firstSeen, payload])).toEqual([
        ["provider-retry", 1, { attempt: 1, delayMs: 1_000, reason: "busy" }],
        ["provider-retry", 3, { attempt: 2, delayMs: 1_000, reason: "busy" }],
        ["turn-diff", 2, { content: "+a", files: [{ path: "a", additions: 1 }] }]
      ])
      expect(recording.model).toBe("answers")
    })))

  it.effect("that is refused does not keep what comes after from being told, and nothing waits for ever", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored, turn, turns } = yield* recorded
      yield* turns.settleTurn(turn.fence, sampleSettlement(1))
      recording.observe(retry(1))
      recording.observe(retry(2))
      expect((yield* stored).map(({ type }) => type)).toEqual(["turn-settled"])
    })))

  it.effect("that has no form in which it could be stored is left out, and what comes after is stored", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored } = yield* recorded
      recording.observe({ type: "turn-diff", content: "+a", files: [{ path: "", patch: "+a" }] })
      recording.observe(retry(1))
      expect((yield* stored).map(({ type }) => type)).toEqual(["provider-retry"])
    })))

  it.effect("that breaks while it is stored does not keep back what is told after it", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored } = yield* recorded
      recording.tell("item-1", { type: "thought", payload: { summaryId: "", content: "Nobody's." } })
      recording.write(Effect.die(new Error("broken")))
      expect(yield* recording.told("item-2", { type: "thought", payload: { summaryId: "", content: "Nobody's." } })).toBe(false)
      expect(yield* recording.told("item-3", { type: "thought", payload: { summaryId: "item-3", content: "So." } })).toBe(true)
      expect((yield* stored).map(({ type }) => type)).toEqual(["thought"])
    })))

  it.effect("tells that another owner has the Run by now", () =>
    onLedger(Effect.gen(function*() {
      const { recording, turn } = yield* recorded
      const runs = yield* RunLedger
      yield* runs.takeOver({ runId: turn.fence.runId, epoch: turn.fence.epoch, owner: sampleOwner(2), at: sampleInstant(2) })
      expect(yield* recording.told("item-1", { type: "thought", payload: { summaryId: "item-1", content: "So." } })).toBe(false)
      yield* recording.fenced
    })))

  it.effect("is of no account once this process has let go of the Turn", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored } = yield* recorded
      recording.close()
      recording.observe(retry(1))
      recording.tell("item", { type: "assistant-content", payload: { messageId: "item", content: "late" } })
      expect([yield* stored, yield* recording.told("item", { type: "model", payload: { model: "late" } })]).toEqual([[], false])
    })))
})

describe("a Steer", () => {
  const steer = { steerId: sampleId.steer(1), text: "Only the tests." }
  const settlements = (events: ReadonlyArray<{ readonly type: string; readonly payload: unknown }>) =>
    events.flatMap(({ payload }) => typeof payload === "object" && payload !== null && "settlement" in payload ? [payload.settlement] : [])

  it.effect("is stored as waiting before it is handed over, once, and then with its delivery at the same place", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored } = yield* recorded
      yield* recording.steer(handleOf(accepted), steer)
      yield* recording.steer(handleOf(accepted), steer)
      recording.observe(retry(1))
      recording.observe({ type: "steer", steerId: steer.steerId, settlement: { kind: "delivered", delivery: "after-boundary" } })
      const events = yield* stored
      expect(settlements(events)).toEqual([{ state: "waiting" }, { state: "delivered", delivery: "after-boundary" }])
      expect(events.filter(({ type }) => type === "steer").map(({ firstSeen, itemId }) => [itemId, firstSeen]))
        .toEqual([[steer.steerId, 0], [steer.steerId, 0]])
    })))

  it.effect("that the harness does not take is stored as dropped", () =>
    onLedger(Effect.gen(function*() {
      const { recording, stored } = yield* recorded
      expect(yield* recording.steer(handleOf(rejected("expired")), steer)).toEqual(rejected("expired"))
      expect(settlements(yield* stored)).toEqual([{ state: "waiting" }, { state: "dropped", cause: "loss" }])
    })))
})
