import { describe, expect, it } from "@effect/vitest"
import type { StartInput, TranscriptEntry } from "@steno/contracts"
import { Effect, Stream } from "effect"
import { ProjectionPort } from "./projection-port.ts"
import { makeProjection, makeRunSnapshot, makeTestProblem, memoryPort, testHarnesses, testIds } from "./testing.ts"

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

  it.effect("explains a call of a Run it has, and no other", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const call = { call: "1", run: { text: testIds.run(1), workspacePath: "/a" } }
      expect(yield* port.explainCall(call)).toEqual(makeProjection({ fits: true }))
      const refused = yield* Effect.flip(port.explainCall({ ...call, run: { text: "run_nothing", workspacePath: "/a" } }))
      expect(refused.problem.code).toBe("run-not-found")
    }).pipe(Effect.provide(memoryPort({
      runs: [makeRunSnapshot()],
      explain: () => Effect.succeed(makeProjection({ fits: true }))
    }))))

  it.effect("knows a call by its id, by a prefix and by its number, and no other", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const named = { text: testIds.run(1), workspacePath: "/a" }
      for (const call of [testIds.call(1), testIds.call(1).slice(0, -1), "1"]) {
        expect(yield* port.resolveCall({ run: named, call })).toBe(testIds.call(1))
      }
      expect((yield* Effect.flip(port.resolveCall({ run: named, call: "2" }))).problem.code).toBe("call-not-found")
    }).pipe(Effect.provide(memoryPort({ runs: [makeRunSnapshot()] }))))

  it.effect("tells capabilities of the harness that is checked, and of no other", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const { harnesses } = yield* port.listHarnesses("/a")
      expect(harnesses.map(({ id }) => id)).toEqual(testHarnesses.map(({ id }) => id))
      expect(harnesses.filter((entry) => "capabilities" in entry)).toEqual([])
      const checked = yield* port.checkHarness({ harness: "codex", workspacePath: "/a" })
      expect(checked.harnesses).toEqual(testHarnesses.filter(({ id }) => id === "codex"))
      const unknown = yield* Effect.flip(port.checkHarness({ harness: "nobody", workspacePath: "/a" }))
      expect(unknown.problem.code).toBe("harness-unknown")
    }).pipe(Effect.provide(memoryPort())))

  it.effect("fails the stream of bytes, not the program, when the Run is unknown", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const query = { run: { text: "run_nothing", workspacePath: "/a" }, call: "1", stream: "output" as const }
      const refused = yield* Effect.flip(Stream.runCollect(port.callBytes(query)))
      expect(refused.problem.code).toBe("run-not-found")
    }).pipe(Effect.provide(memoryPort())))

  const run = { text: testIds.run(1), workspacePath: "/workspace" }

  it.effect("settles an Operation once and tells its outcome from then on", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const request = { operationId: "stop", input: { operation: "cancel" as const, runId: testIds.run(1) } }
      const { operationId } = yield* port.submit(request)
      yield* port.submit(request)
      expect(yield* port.awaitOperation(operationId)).toEqual({ status: "applied" })
      expect((yield* port.showRun(run)).state).toBe("cancelled")
    }).pipe(Effect.provide(memoryPort({ runs: [makeRunSnapshot()] }))))

  it.effect("a deleted Run is gone, and a refused Operation changes nothing", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const cancelled = yield* port.submit({ input: { operation: "cancel", runId: testIds.run(1) } })
      expect((yield* port.awaitOperation(cancelled.operationId)).problem?.code).toBe("run-terminal")
      expect(yield* port.resolveRun(run)).toBe(testIds.run(1))
      expect((yield* port.showRun(run)).state).toBe("succeeded")
      yield* port.submit({ input: { operation: "delete", runId: testIds.run(1) } })
      expect((yield* Effect.flip(port.resolveRun(run))).problem.code).toBe("run-not-found")
      const second = yield* port.submit({ input: { ...start, input: "second" } })
      expect(second.runId).toBe(testIds.run(2))
    }).pipe(Effect.provide(memoryPort({
      runs: [makeRunSnapshot()],
      settle: ({ operation }) =>
        operation === "cancel"
          ? { status: "not-applied", problem: makeTestProblem("run-terminal", "It is over.").problem }
          : { status: "applied" }
    }))))

  it.effect("an applied Operation does to its Run what the test says, a refused one nothing", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const send = { operation: "send" as const, runId: testIds.run(1) }
      yield* port.submit({ input: { ...send, text: "no" } })
      expect((yield* port.awaitRest(testIds.run(1))).state).toBe("succeeded")
      yield* port.submit({ input: { ...send, text: "yes" } })
      expect((yield* port.awaitRest(testIds.run(1))).state).toBe("blocked")
    }).pipe(Effect.provide(memoryPort({
      runs: [makeRunSnapshot()],
      settle: (input) => ({ status: input.operation === "send" && input.text === "yes" ? "applied" : "not-applied" }),
      apply: (_, found) => ({ ...found, state: "blocked" })
    }))))

  it.effect("does not know the outcome of an Operation nobody submitted", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const outcome = yield* port.awaitOperation(testIds.operation(7))
      expect(outcome).toMatchObject({ status: "not-applied", problem: { code: "operation-not-found" } })
    }).pipe(Effect.provide(memoryPort())))

  const entries = Array.from({ length: 43 }, (_, index): TranscriptEntry => ({
    session: "main",
    role: "user",
    content: `input ${index}`
  }))

  it.effect("pages a transcript back to its first entry, and the pages are the export", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const newest = yield* port.readTranscript({ run, cursor: "page" })
      const middle = yield* port.readTranscript({ run, session: "main", cursor: newest.older ?? "" })
      const oldest = yield* port.readTranscript({ run, cursor: middle.older ?? "" })
      expect([oldest, middle, newest].map((page) => page.entries.length)).toEqual([3, 20, 20])
      expect(oldest.older).toBeUndefined()
      const whole = yield* port.exportTranscript({ run })
      expect([oldest, middle, newest].flatMap((page) => page.entries)).toEqual(whole.entries)
      expect((yield* port.exportRun(run)).sessions[0]?.entries).toEqual(entries)
    }).pipe(Effect.provide(memoryPort({ runs: [makeRunSnapshot()], transcript: () => entries }))))

  it.effect("refuses a cursor no page gave and a Session the Run does not have", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      for (const cursor of ["", "older-than-0", "older-than-43", "older-than-1e1"]) {
        const refused = yield* Effect.flip(port.readTranscript({ run, cursor }))
        expect(refused.problem.code, cursor).toBe("run-transcript-cursor-invalid")
      }
      const missing = yield* Effect.flip(port.exportTranscript({ run, session: "other" }))
      expect(missing.problem.code).toBe("run-session-not-found")
    }).pipe(Effect.provide(memoryPort({ runs: [makeRunSnapshot()], transcript: () => entries }))))

  it.effect("exports a Run with the input of each Turn and its calls as they ended", () =>
    Effect.gen(function*() {
      const port = yield* ProjectionPort
      const exported = yield* port.exportRun(run)
      expect(exported.sessions).toEqual([{
        session: "main",
        entries: [{ session: "main", role: "user", content: "echo hello", kind: "message", turn: testIds.turn(1) }],
        calls: [{
          callId: testIds.call(1),
          tool: "bash",
          input: "echo hello",
          outcome: "completed",
          exitCode: 0,
          output: { lines: 1, bytes: 6, path: "/home/data/output.txt" }
        }]
      }])
    }).pipe(Effect.provide(memoryPort({ runs: [makeRunSnapshot()] }))))
})
