import { describe, expect, it } from "@effect/vitest"
import type { RunSnapshot, TranscriptEntry, TranscriptPage } from "@steno/contracts"
import { agentEntries, makeAgentRunSnapshot, makeTestProblem, memoryPort, testIds } from "@steno/projection-port/testing"
import { Effect, Layer } from "effect"
import { ProjectionPort } from "@steno/projection-port"
import fc from "fast-check"
import { ProgramWords } from "./headless-ports.ts"
import { storyOf } from "./run-story.ts"
import { runSteno } from "./testing.ts"

const page = (entries: ReadonlyArray<TranscriptEntry>, older?: string): TranscriptPage => ({
  found: true,
  type: "transcript-page",
  entries,
  ...(older === undefined ? {} : { older })
})

const told = (run: RunSnapshot, pages: ReadonlyArray<TranscriptPage>) =>
  storyOf(run, pages).map((part) => part.kind === "entry" ? part.entry.content : `call ${part.call.ordinal}`)

const run = makeAgentRunSnapshot()
const [input, first, second] = agentEntries as readonly [TranscriptEntry, TranscriptEntry, TranscriptEntry]

describe("what happened in a Run", () => {
  it("is told in its order: input, answers, and the calls between", () => {
    expect(told(run, [page(agentEntries)])).toEqual(["Mend the test", "I read it first.", "call 1", "Now I clean up.", "call 2"])
  })

  it("on a newest page keeps the places of the answers that it holds", () => {
    expect(told(run, [page([second], "older")])).toEqual(["call 1", "Now I clean up.", "call 2"])
  })

  it("a Steer stands in front of the answer that it was there for", () => {
    const steer: TranscriptEntry = { session: "main", role: "user", content: "faster", kind: "steer", turn: testIds.turn(1) }
    expect(told(run, [page([input, first, steer, second])])).toEqual([
      "Mend the test", "I read it first.", "call 1", "faster", "Now I clean up.", "call 2"
    ])
  })

  it("where the two do not match, tells what was said and then the calls", () => {
    expect(told({ ...run, timeline: [] }, [page(agentEntries)])).toEqual([
      "Mend the test", "I read it first.", "Now I clean up.", "call 1", "call 2"
    ])
  })

  it("tells every entry and every call once, in the order of each, whatever the timeline and the page", () => {
    const rows = fc.array(fc.constantFrom("assistant-content", "tool-call-started", "thought", "turn-settled"), { maxLength: 12 })
    const turn = fc.constantFrom(testIds.turn(1), testIds.turn(2))
    const entries = fc.array(fc.record({ turn, role: fc.constantFrom("user", "assistant") }), { maxLength: 8 })
    fc.assert(fc.property(rows, entries, fc.integer({ min: 0, max: 5 }), fc.boolean(), (events, said, callCount, cut) => {
      const texts = said.map((entry, index): TranscriptEntry => ({ session: "main", content: `e${index}`, ...entry }))
      const calls = Array.from({ length: callCount }, (_, index) => ({ ...run.calls[0]!, ordinal: index + 1 }))
      const at = run.launchedAt
      const story = told(
        { ...run, calls, timeline: events.map((event) => ({ at, event, turnId: testIds.turn(1) })) },
        [page(texts, cut ? "older" : undefined)]
      )
      expect(story.filter((part) => part.startsWith("call"))).toEqual(calls.map(({ ordinal }) => `call ${ordinal}`))
      const ofTurn = (id: string) => texts.filter((entry) => entry.turn === id).map(({ content }) => content)
      for (const id of [testIds.turn(1), testIds.turn(2)]) expect(story.filter((part) => ofTurn(id).includes(part))).toEqual(ofTurn(id))
      expect(story).toHaveLength(texts.length + calls.length)
    }))
  })
})

describe("a Run of an agent in words", () => {
  const port = memoryPort({ runs: [run], transcript: () => agentEntries })

  it.effect("says the model, what was said and called, and last what it asks", () =>
    Effect.gen(function*() {
      const { stdout } = yield* runSteno(["run", "show", run.runId], { port }).pipe(
        Effect.provideService(ProgramWords, ["steno", "--home", "/h"])
      )
      expect(stdout).toBe(`Run ${run.runId}: blocked
Harness:   hosted
Model:     script:demo.json
Workspace: /workspace
Started:   2026-01-02T03:04:05.000Z

user:
  Mend the test

assistant:
  I read it first.

Call 1 (read): src/a.test.ts
completed · 3 ms

assistant:
  Now I clean up.

Call 2 (bash): rm -r build
awaiting_approval

Waiting for you: call 2 (bash) asks for approval
  Command: rm -r build
           ls
  Reason:  No rule allows rm.
  Asks:    rm -r build (it runs a command)
  Rules:   1  allow  command "rm -r build"
           2  allow  command "rm *"
  Answer:  steno --home /h run answer ${run.runId} --call ${testIds.call(2)} --allow
           steno --home /h run answer ${run.runId} --call ${testIds.call(2)} --deny --reason WHY
           steno --home /h run answer ${run.runId} --call ${testIds.call(2)} --allow --always session
           steno --home /h run answer ${run.runId} --call ${testIds.call(2)} --allow --always session --rule 1
`)
    }))

  it.effect("names the way to what was said before the newest page", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 25 }, (_, index): TranscriptEntry => ({ ...first, content: `answer ${index}` }))
      const { stdout } = yield* runSteno(["run", "show", run.runId], { port: memoryPort({ runs: [run], transcript: () => many }) })
      expect(stdout).toContain(`\n(what was said before: steno run read ${run.runId} --transcript)\n`)
      expect(stdout).toContain("answer 24")
      expect(stdout).not.toContain("answer 4\n")
    }))

  it.effect("says why its last Turn failed", () =>
    Effect.gen(function*() {
      const turn = { ...run.turns[0]!, result: "failed" as const, detail: "The provider refused the key.\nRun ok" }
      const failed = makeAgentRunSnapshot({ state: "failed", turns: [turn], pending: [], requestedModel: "a/latest", effectiveModel: "a/1" })
      const { stdout } = yield* runSteno(["run", "show", run.runId], { port: memoryPort({ runs: [failed] }) })
      expect(stdout).toContain("\nTurn:      failed: The provider refused the key.\\x0aRun ok\n")
      expect(stdout).toContain("\nModel:     a/1 (asked for: a/latest)\n")
    }))

  it.effect("is shown also where its conversation cannot be read, which is told", () =>
    Effect.gen(function*() {
      const inner = yield* ProjectionPort.pipe(Effect.provide(port))
      const broken = Layer.succeed(ProjectionPort, {
        ...inner,
        readTranscript: () => Effect.fail(makeTestProblem("storage-failed", "The disk is gone."))
      })
      const { exitCode, stderr, stdout } = yield* runSteno(["run", "show", run.runId], { port: broken })
      expect(stdout).toContain("Call 1 (read): src/a.test.ts\ncompleted · 3 ms\n")
      expect(stderr).toMatch(/^Error \[storage-failed\]: The disk is gone\./)
      expect(exitCode).toBe(0)
    }))
})
