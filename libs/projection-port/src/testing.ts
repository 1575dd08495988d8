/**
 * A Projection Port in memory, for tests of clients.
 *
 * Owns: Runs, pages and bytes a test hands over; the rules a client can see (idempotent Operations, references, paging).
 * Limits: a Run rests as soon as it is started; nothing is executed. Every other Operation is settled at once.
 */
import {
  type CallOutput,
  CallId,
  ConversationId,
  type HarnessEntry,
  OperationId,
  type OperationInput,
  type OperationOutcome,
  type Problem,
  type ProjectionDocument,
  type QuietCall,
  RunId,
  type RunListRow,
  type RunSnapshot,
  type StartInput,
  type TranscriptEntry,
  TurnId
} from "@steno/contracts"
import { Effect, Layer, Stream } from "effect"
import { PortProblem } from "./port-problem.ts"
import { type CallReadQuery, ProjectionPort, type RunReference, type SessionReference } from "./projection-port.ts"
import { agentCalls, agentTimeline, pendingApproval } from "./testing/agent-run.ts"
import { testHarnesses, withoutCapabilities } from "./testing/memory-harnesses.ts"
import { defaultTranscript, exportOfRun, exportOfTranscript, pageOfTranscript } from "./testing/memory-transcripts.ts"

export { agentEntries, pendingApproval, pendingQuestion, pendingQuestions, pendingReview } from "./testing/agent-run.ts"
export { testHarnesses }

const idCharacters = (ordinal: number) => `01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`

/** Ids that are valid and sort by `ordinal`. */
export const testIds = {
  run: (ordinal: number) => RunId.make(`run_${idCharacters(ordinal)}`),
  conversation: (ordinal: number) => ConversationId.make(`conv_${idCharacters(ordinal)}`),
  turn: (ordinal: number) => TurnId.make(`turn_${idCharacters(ordinal)}`),
  call: (ordinal: number) => CallId.make(`call_${idCharacters(ordinal)}`),
  operation: (ordinal: number) => OperationId.make(`op_${idCharacters(ordinal)}`)
}

/** A Run of one direct command that succeeded; `changes` replace whole fields. */
export const makeRunSnapshot = (changes: Partial<RunSnapshot> = {}): RunSnapshot => {
  const runId = changes.runId ?? testIds.run(1)
  const turnId = testIds.turn(1)
  return {
    runId,
    kind: "once",
    workspacePath: "/workspace",
    harness: { id: "command" },
    launchedAt: "2026-01-02T03:04:05.000Z",
    settledAt: "2026-01-02T03:04:06.500Z",
    state: "succeeded",
    liveness: { state: "resting" },
    sessions: [{
      session: "main",
      conversationId: testIds.conversation(1),
      availability: "open",
      transcriptPage: "page",
      transcriptExport: "export"
    }],
    turns: [{
      turnId,
      session: "main",
      origin: "user",
      result: "completed",
      admittedAt: "2026-01-02T03:04:05.000Z",
      settledAt: "2026-01-02T03:04:06.500Z",
      durationMs: 1_500
    }],
    timeline: [{ at: "2026-01-02T03:04:05.000Z", event: "turn-admitted", turnId }],
    calls: [{
      callId: testIds.call(1),
      ordinal: 1,
      session: "main",
      turnId,
      tool: "bash",
      input: "echo hello",
      outcome: "completed",
      exitCode: 0,
      durationMs: 12,
      output: {
        lines: 1,
        bytes: 6,
        projection: "Command: echo hello\nExit code 0 after 12 ms.\nhello",
        path: "/home/data/output.txt"
      }
    }],
    pending: [],
    asyncBash: [],
    actionOffers: [],
    ...changes
  }
}

/** A Run of the built-in loop, blocked on an approval; `agentEntries` are what was said. `changes` replace whole fields. */
export const makeAgentRunSnapshot = (changes: Partial<RunSnapshot> = {}): RunSnapshot => {
  const { settledAt: _, ...run } = makeRunSnapshot()
  return {
    ...run,
    harness: { id: "hosted", name: "Hosted loop" },
    requestedModel: "script:demo.json",
    state: "blocked",
    turns: [{ turnId: testIds.turn(1), session: "main", origin: "user", admittedAt: run.launchedAt }],
    timeline: agentTimeline,
    calls: agentCalls,
    pending: [pendingApproval],
    ...changes
  }
}

/** A whole stream of two lines; `changes` replace whole fields. */
export const makeCallOutput = (changes: Partial<CallOutput> = {}): CallOutput => ({
  found: true,
  type: "call-output",
  callId: testIds.call(1),
  stream: "output",
  totalLines: 2,
  totalBytes: 8,
  offset: 0,
  endOffset: 2,
  complete: true,
  status: "completed",
  truncatedLines: [],
  lines: ["one", "two"],
  ...changes
})

/** A projection of which three lines are shown; `changes` replace whole fields. */
export const makeProjection = (changes: Partial<ProjectionDocument> = {}): ProjectionDocument => ({
  family: "projection",
  text: "Exit code 1.\n1: start\n[… 1499 lines not shown …]\n1501: error: bad\n1502: done",
  fits: false,
  profile: "process_diagnostics",
  strategy: "selection",
  totalLines: 1_502,
  totalBytes: 12_345,
  payloadLines: 3,
  payloadBytes: 36,
  kept: [{ line: 1, why: "the first line" }, { line: 1_501, why: "an error" }, { line: 1_502, why: "the last line" }],
  omitted: [{ from: 2, to: 1_500 }],
  ...changes
})

export interface MemoryPortOptions {
  /** Oldest first. */
  readonly runs?: ReadonlyArray<RunSnapshot>
  /** The Run that a start leads to, once per Operation id. */
  readonly start?: (input: StartInput, runId: RunId) => Effect.Effect<RunSnapshot, PortProblem>
  /** Replaces the wait for a started Run. */
  readonly awaitRest?: (run: RunSnapshot) => Effect.Effect<RunSnapshot, PortProblem>
  /** What is told of calls that print nothing; default: nothing. */
  readonly quietCalls?: (runId: RunId) => Stream.Stream<QuietCall>
  /** How an Operation other than a start settles; asked once per Operation id, and nothing happens to the Run unless it is `applied`. Default: `applied`. */
  readonly settle?: (input: Exclude<OperationInput, StartInput>) => OperationOutcome
  /** What becomes of the Run of an applied Operation other than start, cancel and delete; default: nothing. */
  readonly apply?: (input: Exclude<OperationInput, StartInput>, run: RunSnapshot) => RunSnapshot
  /** Default: `command`. */
  readonly defaultHarness?: string
  /** Default: `testHarnesses`. */
  readonly harnesses?: ReadonlyArray<HarnessEntry>
  /** Entries of a Session, oldest first; default: one input per Turn. */
  readonly transcript?: (run: RunSnapshot, session: string) => ReadonlyArray<TranscriptEntry>
  readonly page?: (query: CallReadQuery) => Effect.Effect<CallOutput, PortProblem>
  readonly explain?: (query: Pick<CallReadQuery, "run" | "call">) => Effect.Effect<ProjectionDocument, PortProblem>
  readonly bytes?: (query: Pick<CallReadQuery, "run" | "call" | "stream">) => Stream.Stream<Uint8Array, PortProblem>
}

export const makeTestProblem = (code: Problem["code"], explanation: string): PortProblem =>
  new PortProblem({ problem: { code, explanation, remediation: "Try something else.", possibleEffects: "none" } })

const toRow = (run: RunSnapshot): RunListRow => ({
  runId: run.runId,
  state: run.state,
  harness: run.harness.id,
  workspacePath: run.workspacePath,
  input: (run.calls[0]?.input ?? "").split("\n", 1)[0]?.slice(0, 200) ?? "",
  activityAt: run.settledAt ?? run.launchedAt,
  live: run.liveness.state !== "resting"
})

/** Each layer that is built holds its own Runs. */
export const memoryPort = (options: MemoryPortOptions = {}): Layer.Layer<ProjectionPort> =>
  Layer.sync(ProjectionPort, () => {
    const runs = [...(options.runs ?? [])]
    const operations = new Map<
      string,
      { readonly input: string; readonly runId: RunId; readonly outcome: OperationOutcome }
    >()
    const { harnesses = testHarnesses } = options
    const transcript = options.transcript ?? defaultTranscript
    let namedRuns = runs.length

    const find = (reference: RunReference): Effect.Effect<RunSnapshot, PortProblem> => {
      const matches = reference.text === "@last"
        ? runs.filter((run) => run.workspacePath === reference.workspacePath).slice(-1)
        : runs.filter((run) => run.runId.startsWith(reference.text))
      const [only, another] = matches
      if (only === undefined) return Effect.fail(makeTestProblem("run-not-found", `No Run ${reference.text}.`))
      return another === undefined
        ? Effect.succeed(only)
        : Effect.fail(makeTestProblem("id-ambiguous", `${reference.text} names several Runs.`))
    }

    const findSession = Effect.fnUntraced(function*(reference: SessionReference) {
      const run = yield* find(reference.run)
      const session = reference.session === undefined
        ? run.sessions[0]
        : run.sessions.find((row) => row.session === reference.session)
      if (session === undefined) {
        return yield* makeTestProblem("run-session-not-found", `No Session ${reference.session ?? "at all"}.`)
      }
      return { newest: session.transcriptPage, entries: transcript(run, session.session) }
    })

    /** Starts a Run, or does to one what an applied Operation does. */
    const perform = Effect.fnUntraced(function*(input: OperationInput) {
      if (input.operation === "start") {
        const runId = testIds.run(++namedRuns)
        const run = yield* options.start === undefined
          ? Effect.succeed(makeRunSnapshot({ runId, workspacePath: input.workspace }))
          : options.start(input, runId)
        runs.push(run)
        return { runId: run.runId, outcome: { status: "applied" } as const }
      }
      const run = yield* find({ text: input.runId, workspacePath: "" })
      const outcome: OperationOutcome = options.settle?.(input) ?? { status: "applied" }
      const at = runs.indexOf(run)
      if (outcome.status === "applied") {
        if (input.operation === "delete") runs.splice(at, 1)
        else runs[at] = input.operation === "cancel" ? { ...run, state: "cancelled" } : options.apply?.(input, run) ?? run
      }
      return { runId: run.runId, outcome }
    })

    return ProjectionPort.of({
      submit: Effect.fnUntraced(function*({ input, operationId }) {
        const id = OperationId.make(operationId ?? testIds.operation(operations.size + 1))
        const known = operations.get(id)
        const canonical = JSON.stringify(input)
        if (known !== undefined) {
          return known.input === canonical
            ? { operationId: id, runId: known.runId }
            : yield* makeTestProblem("operation-id-reused", `Operation ${id} had another input.`)
        }
        const performed = yield* perform(input)
        operations.set(id, { input: canonical, ...performed })
        return { operationId: id, runId: performed.runId }
      }),
      awaitOperation: (operationId) =>
        Effect.sync(() =>
          operations.get(operationId)?.outcome ?? {
            status: "not-applied",
            problem: makeTestProblem("operation-not-found", `No Operation ${operationId}.`).problem
          }
        ),
      resolveRun: (reference) => Effect.map(find(reference), (run) => run.runId),
      resolveCall: ({ call, run }) =>
        Effect.flatMap(find(run), ({ calls, runId }) => {
          const found = calls.find(({ callId, ordinal }) => callId.startsWith(call) || String(ordinal) === call)
          return found === undefined
            ? Effect.fail(makeTestProblem("call-not-found", `Run ${runId} has no call ${call}.`))
            : Effect.succeed(found.callId)
        }),
      showRun: find,
      awaitRest: (runId) =>
        Effect.flatMap(find({ text: runId, workspacePath: "" }), options.awaitRest ?? Effect.succeed),
      quietCalls: options.quietCalls ?? (() => Stream.never),
      defaultHarness: Effect.succeed(options.defaultHarness ?? "command"),
      listHarnesses: () =>
        Effect.succeed({ family: "harness-catalog", harnesses: harnesses.map(withoutCapabilities) }),
      checkHarness: ({ harness }) => {
        const found = harnesses.find(({ id }) => id === harness)
        return found === undefined
          ? Effect.fail(makeTestProblem("harness-unknown", `There is no harness ${harness}.`))
          : Effect.succeed({ family: "harness-catalog", harnesses: [found] })
      },
      listRuns: (query) =>
        Effect.sync(() => {
          const newestFirst = runs.toReversed().filter((run) =>
            (query.workspacePath === undefined || run.workspacePath === query.workspacePath) &&
            (!query.resumable || run.state === "halted")
          )
          const start = query.before === undefined ? 0 : newestFirst.findIndex((run) => run.runId === query.before) + 1
          const page = newestFirst.slice(start, start + query.limit)
          const more = start + page.length < newestFirst.length
          const last = page.at(-1)
          return {
            family: "run-list" as const,
            filter: {
              ...(query.workspacePath === undefined ? {} : { workspacePath: query.workspacePath }),
              all: query.workspacePath === undefined,
              resumable: query.resumable
            },
            rows: page.map(toRow),
            ...(more && last !== undefined ? { nextCursor: last.runId } : {}),
            beginningOfHistory: !more,
            empty: page.length === 0
          }
        }),
      readTranscript: Effect.fnUntraced(function*(query) {
        const { entries, newest } = yield* findSession(query)
        const page = pageOfTranscript(entries, query.cursor, newest)
        return page ?? (yield* makeTestProblem("run-transcript-cursor-invalid", "No transcript gave this cursor."))
      }),
      exportTranscript: (session) => Effect.map(findSession(session), ({ entries }) => exportOfTranscript(entries)),
      exportRun: (reference) => Effect.map(find(reference), (run) => exportOfRun(run, transcript)),
      readCall: (query) =>
        Effect.andThen(
          find(query.run),
          (options.page ?? ((asked) => Effect.succeed(makeCallOutput({ stream: asked.stream }))))(query)
        ),
      explainCall: (query) =>
        Effect.andThen(find(query.run), (options.explain ?? (() => Effect.succeed(makeProjection())))(query)),
      callBytes: (query) =>
        Stream.unwrap(Effect.as(
          find(query.run),
          options.bytes === undefined ? Stream.make(new TextEncoder().encode("one\ntwo\n")) : options.bytes(query)
        ))
    })
  })
