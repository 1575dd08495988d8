/**
 * What Steno answers to the harness of one Turn.
 *
 * Owns: which refusal an error of the core is at the Seam; the order of what is stored around a message.
 * Never owns: calls (tool-call-service), facts of the Turn (turn-recording), admission (turn drives).
 * Ordering: what was told before a message is stored before it; a context holds everything that was told before it.
 * Limits: no harness behind it runs tools through its client, raises requests or calls the Run: none of them is offered one.
 */
import type { ToolCallResponse } from "@steno/contracts"
import type { HostRefusal, OfferedTool, ProposalAnswer, ProposedCallResult, ProposedMessage, TurnHost } from "@steno/harness-seam"
import type { LedgerError } from "@steno/ledger"
import type { CallTurn, ToolCallError, ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { messageToPropose } from "./proposal.ts"
import type { SessionContext } from "./session-context.ts"
import type { TurnRecording } from "./turn-recording.ts"

export interface TurnHostParts {
  readonly turn: CallTurn
  readonly toolCalls: ToolCallService["Service"]
  readonly recording: TurnRecording
  readonly context: SessionContext
  readonly tools: ReadonlyArray<OfferedTool>
  /** Resolves when no call of an earlier start of the Turn is open. */
  readonly callsSettled: Effect.Effect<void, ToolCallError>
  readonly turnDiff: TurnHost["turnDiff"]
}

const ofLedger = ({ message, reason }: LedgerError): HostRefusal =>
  reason._tag === "Fenced"
    ? { kind: "refused", reason: "fenced" }
    : { kind: "refused", reason: "unrecordable", explanation: message }

/** A call that this process let go of is carried on by whoever takes the Run: as if that one had it already. */
const ofCall = ({ message, reason }: ToolCallError): HostRefusal => {
  switch (reason._tag) {
    case "CallNotAdmitted":
    case "CallNotSettled":
      return ofLedger(reason.cause)
    case "CallReleased":
      return { kind: "refused", reason: "fenced" }
    default:
      return { kind: "refused", reason: "unrecordable", explanation: message }
  }
}

const refusal = (error: LedgerError | ToolCallError): Effect.Effect<HostRefusal> =>
  Effect.succeed(error._tag === "LedgerError" ? ofLedger(error) : ofCall(error))

const resultsOf = (
  { blocks }: ProposedMessage,
  calls: ReadonlyArray<{ readonly contentIndex: number }>,
  responses: ReadonlyArray<ToolCallResponse>
): ReadonlyArray<ProposedCallResult> =>
  calls.flatMap(({ contentIndex }, index) => {
    const block = blocks[contentIndex]
    const response = responses[index]
    if (block?.type !== "call" || response === undefined) return []
    const { agentProjection, callId, outcome } = response
    return [{ itemId: block.itemId, callId, outcome, ...(agentProjection === undefined ? {} : { agentProjection }) }]
  })

const noAgentCalls = "This Turn takes no Agent call"

export const makeTurnHost = (parts: TurnHostParts): TurnHost => {
  const { context, recording, toolCalls, tools, turn } = parts

  const propose = Effect.fnUntraced(function*(message: ProposedMessage): Effect.fn.Return<ProposalAnswer, ToolCallError> {
    yield* recording.flushed
    const proposal = messageToPropose(message, recording.places, recording.model)
    const step = yield* toolCalls.propose({ ...turn, proposal })
    return { kind: "settled", results: resultsOf(message, step.calls, yield* step.settled) }
  })

  return {
    /** The Turn was admitted before its harness got its input. */
    admit: () => Effect.succeed({ kind: "admitted" }),
    checkpoint: () => Effect.succeed("refused"),
    context: parts.callsSettled.pipe(
      Effect.andThen(recording.flushed),
      Effect.andThen(context),
      Effect.map((events) => ({ kind: "context" as const, events, tools })),
      Effect.catch(refusal)
    ),
    propose: (message) => Effect.catch(propose(message), refusal),
    turnDiff: parts.turnDiff,
    execute: () => Effect.succeed({ kind: "denied", reason: "This Turn offers no tools of Steno to an outside agent" }),
    outputSink: () => ({ append: () => {}, replace: () => {}, close: () => {} }),
    request: () => Effect.succeed({ kind: "expired" }),
    agentCall: () => Effect.succeed({ kind: "refused", reason: noAgentCalls })
  }
}
