import { describe, expect, it } from "@effect/vitest"
import type { StartInput } from "@steno/contracts"
import { Effect, Stream } from "effect"
import { ProjectionPort } from "./projection-port.ts"
import { makeRunSnapshot, memoryPort, testIds } from "./testing.ts"

const start: StartInput = {
  operation: "start",
  workspace: "/workspace",
  harness: "command",
  session: "main",
  input: "true",
  kind: "once"
}

describe("the Port in memory", () => {
  it.effect("gives the same Run for the same operation id and input, and starts nothing twice", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const first = yield* port.submit({ operationId: "once", input: start })
      const second = yield* port.submit({ operationId: "once", input: start })
      expect(second).toEqual(first)
      const list = yield* port.listRuns({ resumable: false, limit: 20 })
      expect(list.rows).toHaveLength(1)
    }).pipe(Effect.provide(memoryPort())))

  it.effect("refuses an operation id that was used for another input", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      yield* port.submit({ operationId: "once", input: start })
      const refused = yield* Effect.flip(port.submit({ operationId: "once", input: { ...start, input: "false" } }))
      expect(refused.problem.code).toBe("operation-id-reused")
      expect(refused.message).toContain("operation-id-reused: Operation once")
    }).pipe(Effect.provide(memoryPort())))

  it.effect("pages a list from the newest Run to the oldest without a gap", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const first = yield* port.listRuns({ resumable: false, limit: 2 })
      const rest = yield* port.listRuns({ resumable: false, limit: 2, before: first.nextCursor ?? "" })
      expect([...first.rows, ...rest.rows].map((row) => row.runId)).toEqual([3, 2, 1].map(testIds.run))
      expect([first.beginningOfHistory, rest.beginningOfHistory]).toEqual([false, true])
    }).pipe(Effect.provide(memoryPort({
      runs: [1, 2, 3].map((ordinal) => makeRunSnapshot({ runId: testIds.run(ordinal) }))
    }))))

  it.effect("knows @last only in the workspace it is asked for", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const found = yield* port.showRun({ text: "@last", workspacePath: "/a" })
      expect(found.runId).toBe(testIds.run(1))
      const missing = yield* Effect.flip(port.showRun({ text: "@last", workspacePath: "/c" }))
      expect(missing.problem.code).toBe("run-not-found")
      const ambiguous = yield* Effect.flip(port.showRun({ text: "run_01ARZ3ND", workspacePath: "/a" }))
      expect(ambiguous.problem.code).toBe("id-ambiguous")
    }).pipe(Effect.provide(memoryPort({
      runs: [
        makeRunSnapshot({ runId: testIds.run(1), workspacePath: "/a" }),
        makeRunSnapshot({ runId: testIds.run(2), workspacePath: "/b" })
      ]
    }))))

  it.effect("fails the stream of bytes, not the program, when the Run is unknown", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const query = { run: { text: "run_nothing", workspacePath: "/a" }, call: "1", stream: "output" as const }
      const refused = yield* Effect.flip(Stream.runCollect(port.callBytes(query)))
      expect(refused.problem.code).toBe("run-not-found")
    }).pipe(Effect.provide(memoryPort())))
})
