/**
 * A TurnHost that writes down, in one order, what it was asked and what a Turn told.
 *
 * Owns: the journal. Answers are those a test gives; without one, requests and Agent calls stay open.
 */
import { CallId } from "@steno/contracts"
import { Deferred, Effect, type Schema } from "effect"
import type { TurnHandle } from "../harness.ts"
import type { ItemId } from "../item-id.ts"
import type { TurnDiffValue, TurnEvent } from "../turn-event.ts"
import type {
  AdmissionAnswer,
  AgentCall,
  AgentCallReply,
  ExecutionAnswer,
  HarnessRequest,
  ModelContext,
  ProposalAnswer,
  ProposedMessage,
  RequestAnswer,
  TurnAdmission,
  TurnHost
} from "../turn-host.ts"
import type { CheckpointReceipt, TurnResult } from "../turn-result.ts"

export type JournalEntry =
  | { readonly kind: "admit"; readonly admission: TurnAdmission }
  | { readonly kind: "checkpoint"; readonly coordinate: string }
  | { readonly kind: "context" }
  | { readonly kind: "propose"; readonly message: ProposedMessage }
  | { readonly kind: "turn-diff" }
  | { readonly kind: "execute"; readonly tool: string; readonly input: Schema.Json; readonly itemId?: ItemId }
  | { readonly kind: "request"; readonly request: HarnessRequest }
  | { readonly kind: "request-expired"; readonly request: HarnessRequest }
  | { readonly kind: "agent-call"; readonly call: AgentCall }
  | { readonly kind: "agent-call-expired"; readonly call: AgentCall }
  | { readonly kind: "event"; readonly event: TurnEvent }
  | { readonly kind: "result"; readonly result: TurnResult }

/** What the host answers; a function may refuse, wait, or throw by `Effect.die`. */
export interface RecordingAnswers {
  readonly admit?: Effect.Effect<AdmissionAnswer>
  readonly checkpoint?: Effect.Effect<CheckpointReceipt>
  readonly context?: Effect.Effect<ModelContext>
  readonly propose?: (message: ProposedMessage) => Effect.Effect<ProposalAnswer>
  readonly turnDiff?: Effect.Effect<TurnDiffValue | undefined>
  readonly execute?: (tool: string, input: Schema.Json) => Effect.Effect<ExecutionAnswer>
  readonly request?: (request: HarnessRequest) => Effect.Effect<RequestAnswer>
  readonly agentCall?: (call: AgentCall) => Effect.Effect<AgentCallReply>
}

export interface RecordingTurnHost extends TurnHost {
  readonly journal: ReadonlyArray<JournalEntry>
  /** The events of the journal. */
  readonly events: () => ReadonlyArray<TurnEvent>
  /** Output as it lies in each sink. */
  readonly sinks: ReadonlyMap<ItemId, { readonly text: string; readonly closed: boolean }>
  /** Resolves when a message was proposed. */
  readonly proposed: Effect.Effect<void>
  /** Writes the events of a Turn into the journal and resolves with its result, which is the last entry. */
  readonly follow: (handle: TurnHandle) => Effect.Effect<TurnResult>
}

const callId = (ordinal: number) => CallId.make(`call_01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`)

export const makeRecordingTurnHost = (answers: RecordingAnswers = {}): RecordingTurnHost => {
  const journal: Array<JournalEntry> = []
  const sinks = new Map<ItemId, { text: string; closed: boolean }>()
  const proposed = Deferred.makeUnsafe<void>()
  let executions = 0
  const asked = <Answer>(entry: JournalEntry, answer: Effect.Effect<Answer>, expired?: JournalEntry) =>
    Effect.suspend(() => {
      journal.push(entry)
      return expired === undefined ? answer : Effect.onInterrupt(answer, () => Effect.sync(() => journal.push(expired)))
    })
  return {
    journal,
    sinks,
    events: () => journal.flatMap((entry) => (entry.kind === "event" ? [entry.event] : [])),
    follow: (handle) =>
      Effect.suspend(() => {
        handle.subscribe((event) => journal.push({ kind: "event", event }))
        return Effect.tap(handle.result, (result) => Effect.sync(() => journal.push({ kind: "result", result })))
      }),
    admit: (admission) => asked({ kind: "admit", admission }, answers.admit ?? Effect.succeed({ kind: "admitted" })),
    checkpoint: (coordinate) => asked({ kind: "checkpoint", coordinate }, answers.checkpoint ?? Effect.succeed("stored")),
    context: asked(
      { kind: "context" },
      Effect.map(answers.context ?? Effect.succeed({ events: [], tools: [] }), (context) => ({ kind: "context" as const, ...context }))
    ),
    proposed: Deferred.await(proposed),
    propose: (message) =>
      Effect.andThen(
        Deferred.succeed(proposed, undefined),
        asked({ kind: "propose", message }, answers.propose?.(message) ?? Effect.succeed<ProposalAnswer>({ kind: "settled", results: [] }))
      ),
    turnDiff: asked({ kind: "turn-diff" }, answers.turnDiff ?? Effect.succeed(undefined)),
    execute: (tool, input, itemId) =>
      asked(
        { kind: "execute", tool, input, ...(itemId === undefined ? {} : { itemId }) },
        answers.execute?.(tool, input) ?? Effect.sync(() => ({
          kind: "started" as const,
          callId: callId(executions++),
          output: () => ({ text: "" }),
          cancel: Effect.void,
          settled: Effect.succeed({ outcome: "completed" as const, exitCode: 0 })
        }))
      ),
    outputSink: (itemId) => {
      const sink = { text: "", closed: false }
      sinks.set(itemId, sink)
      return {
        append: (text) => {
          sink.text += text
        },
        replace: (text) => {
          sink.text = text
        },
        close: () => {
          sink.closed = true
        }
      }
    },
    request: (request) =>
      asked({ kind: "request", request }, answers.request?.(request) ?? Effect.never, { kind: "request-expired", request }),
    agentCall: (call) =>
      asked({ kind: "agent-call", call }, answers.agentCall?.(call) ?? Effect.never, { kind: "agent-call-expired", call })
  }
}
