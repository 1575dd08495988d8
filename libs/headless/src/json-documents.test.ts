import { describe, expect, it } from "@effect/vitest"
import { CallOutputDocument, HarnessCatalog, OperationDocument, Problem, ProjectionDocument, RunDocument, RunListDocument, TranscriptDocument } from "@steno/contracts"
import {
  makeAgentRunSnapshot,
  makeCallOutput,
  makeProjection,
  makeRunSnapshot,
  makeTestProblem,
  memoryPort,
  pendingApproval,
  pendingQuestions,
  pendingReview,
  testIds
} from "@steno/projection-port/testing"
import { Effect, Schema } from "effect"
import { runSteno } from "./testing.ts"

const run = makeRunSnapshot()
const richRun = makeRunSnapshot({
  runId: testIds.run(2),
  state: "halted",
  liveness: { state: "live-elsewhere", ownerPid: 4711 },
  turns: [{ ...run.turns[0]!, entry: true, result: "lost" }],
  calls: [{
    callId: testIds.call(1),
    ordinal: 1,
    session: "main",
    turnId: testIds.turn(1),
    tool: "bash",
    input: "make\u001b[31m\nsecond \"line\" \u2028 日本",
    outcome: "indeterminate",
    timedOut: true,
    durationMs: 1_500.25,
    output: { lines: 0, bytes: 0, droppedBytes: 12 }
  }],
  actionOffers: [{ operation: "resume", runId: testIds.run(2), available: false, reason: "later" }]
})
const blockedRun = makeAgentRunSnapshot({
  runId: testIds.run(3),
  kind: "interactive",
  effectiveModel: "demo-1",
  turns: [{ turnId: testIds.turn(1), session: "main", origin: "user", admittedAt: run.launchedAt, result: "failed", detail: "No answer." }],
  pending: [pendingApproval, { ...pendingQuestions, answered: true }, pendingReview]
})
const agentPort = memoryPort({ runs: [blockedRun], apply: (_, found) => ({ ...found, pending: [], state: "succeeded" }) })
const port = memoryPort({
  runs: [run, richRun],
  settle: (input) =>
    input.runId === run.runId
      ? { status: "applied" }
      : { status: "not-applied", problem: makeTestProblem("run-live-elsewhere", "It is live in process 4711.").problem },
  transcript: (_, session) => [
    { session, role: "user", content: "line\n\u001b[1m日本", kind: "message", turn: testIds.turn(1) },
    { session, role: "user", content: "left", kind: "steer", steer: { id: "steer_1", delivery: "re-delivered" } },
    { session, role: "assistant", content: "", incomplete: true }
  ],
  explain: () =>
    Effect.succeed(makeProjection({ storedText: "Exit code 1.", warnings: [{ code: "projection-differs", text: "It is another one." }] })),
  page: (query) =>
    Effect.succeed(makeCallOutput({
      stream: query.stream,
      totalLines: 10,
      nextOffset: 2,
      complete: false,
      captureTruncated: { droppedBytes: 3 },
      truncatedLines: [{ line: 0, bytes: 70_000 }],
      path: "/home/stdout.txt"
    }))
})

type Document = readonly [name: string, schema: Schema.Decoder<unknown>, args: ReadonlyArray<string>]

const agentDocuments: ReadonlyArray<Document> = [
  ["run-show-blocked", RunDocument, ["run", "show", blockedRun.runId, "--json"]],
  ["run-answer", RunDocument, ["run", "answer", blockedRun.runId, "--call", "2", "--allow", "--json"]],
  ["run-send", RunDocument, ["run", "send", blockedRun.runId, "--json", "--", "go on"]],
  ["run-resume", RunDocument, ["run", "resume", blockedRun.runId, "--json"]]
]

const documents: ReadonlyArray<Document> = [
  ["run-start", RunDocument, ["run", "start", "--json", "--", "echo hello"]],
  ["run-show", RunDocument, ["run", "show", richRun.runId, "--json"]],
  ["run-show-not-found", RunDocument, ["run", "show", "run_none", "--json"]],
  ["run-resume-not-applied", RunDocument, ["run", "resume", richRun.runId, "--json"]],
  ["run-steer", OperationDocument, ["run", "steer", run.runId, "--json", "--", "less"]],
  ["run-interrupt", OperationDocument, ["run", "interrupt", run.runId, "--json"]],
  ["run-end", OperationDocument, ["run", "end", run.runId, "--json"]],
  ["harness-list", HarnessCatalog, ["harness", "list", "--json"]],
  ["harness-check", HarnessCatalog, ["harness", "check", "codex", "--json"]],
  ["run-list", RunListDocument, ["run", "list", "--json", "--limit", "1", "--all"]],
  ["run-read", CallOutputDocument, ["run", "read", run.runId, "--call", "1", "--stream", "stdout", "--json"]],
  ["run-read-explain", ProjectionDocument, ["run", "read", run.runId, "--call", "1", "--explain", "--json"]],
  ["run-read-not-found", CallOutputDocument, ["run", "read", "run_none", "--call", "1", "--json"]],
  ["run-transcript", TranscriptDocument, ["run", "read", run.runId, "--transcript", "--json"]],
  ["run-transcript-not-found", TranscriptDocument, ["run", "read", "run_none", "--transcript", "--json"]],
  ["run-cancel", OperationDocument, ["run", "cancel", run.runId, "--json", "--operation-id", "stop:1"]],
  ["run-delete-not-applied", OperationDocument, ["run", "delete", richRun.runId, "--json"]],
  ["limit-invalid", Problem, ["run", "list", "--json", "--limit", "0"]],
  ["usage-invalid", Problem, ["run", "list", "--json", "--limt", "1"]]
]

describe("frozen JSON documents", () => {
  it.effect.each([...documents, ...agentDocuments])("%s is its golden file, byte for byte, and fits its schema", ([name, schema, args]) =>
    Effect.gen(function*() {
      const asked = agentDocuments.some(([agentName]) => agentName === name) ? agentPort : port
      const { stderr, stdout } = yield* runSteno(args, { port: asked })
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot(`goldens/${name}.json`))
      const document: unknown = JSON.parse(stdout)
      const decoded = yield* Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })(document)
      expect(decoded).toEqual(document)
      expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`)
      expect(stdout).not.toMatch(/: null/)
      expect(stderr).toBe("")
    }))
})
