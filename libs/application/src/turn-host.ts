/**
 * What Steno answers to the harness of one Turn.
 *
 * Owns: which refusal an error of the core is at the Seam; the order of what is stored around a message.
 * Never owns: calls (tool-call-service), facts of the Turn (turn-recording), requests (harness-requests), admission (turn drives).
 * Ordering: what was told before a message is stored before it; a context holds everything that was told before it.
 * Limits: what a harness is refused, it is told; nothing here waits for a person but a request.
 */
import { CallArguments, type ToolCallResponse } from "@steno/contracts"
import type { ExecutionAnswer, HostRefusal, ItemId, OfferedTool, ProposalAnswer, ProposedCallResult, ProposedMessage, TurnHost } from "@steno/harness-seam"
import type { LedgerError, TurnLedger } from "@steno/ledger"
import type { CallTurn, ToolCallError, ToolCallService } from "@steno/tool-call-service"
import { Effect, Predicate, Schema } from "effect"
import type { HarnessRequests } from "./harness-requests.ts"
import type { OutsideAgentCalls } from "./outside-agent-calls.ts"
import { messageToPropose } from "./proposal.ts"
import type { SessionContext } from "./session-context.ts"
import type { TurnAsks } from "./turn-asks.ts"
import type { TurnRecording } from "./turn-recording.ts"
import { settleRetry } from "./turn-settlement.ts"

export interface TurnHostParts {
  readonly turn: CallTurn
  readonly toolCalls: ToolCallService["Service"]
  readonly ledger: TurnLedger["Service"]
  readonly recording: TurnRecording
  readonly requests: HarnessRequests
  readonly agentCalls: OutsideAgentCalls
  /** Ended before the Turn is settled. */
  readonly asks: TurnAsks
  readonly outputSink: TurnHost["outputSink"]
  readonly context: SessionContext
  /** Asked for by a loop that asks a model. */
  readonly tools: () => ReadonlyArray<OfferedTool>
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

const isArguments = Schema.is(CallArguments)

const over = "The Turn is over."

/** The arguments of a call in one line, for people. */
const shownInput = (input: Schema.Json): string =>
  Predicate.hasProperty(input, "command") && typeof input.command === "string" ? input.command : JSON.stringify(input)

export const makeTurnHost = (parts: TurnHostParts): TurnHost => {
  const { agentCalls, asks, context, ledger, outputSink, recording, requests, toolCalls, tools, turn } = parts

  let executions = 0

  const propose = Effect.fnUntraced(function*(message: ProposedMessage): Effect.fn.Return<ProposalAnswer, ToolCallError> {
    yield* recording.flushed
    const proposal = messageToPropose(message, recording.places, recording.model)
    const step = yield* toolCalls.propose({ ...turn, proposal })
    return { kind: "settled", results: resultsOf(message, step.calls, yield* step.settled) }
  })

  const keep = ({ conversationId, fence, turnId }: CallTurn, coordinate: string) =>
    ledger.keepCoordinate(fence, { conversationId, turnId, coordinate }).pipe(Effect.retry(settleRetry))

  const execute = Effect.fnUntraced(function*(tool: string, input: Schema.Json, given: ItemId | undefined): Effect.fn.Return<
    ExecutionAnswer,
    ToolCallError
  > {
    const itemId = given ?? `client ${executions++}`
    const firstSeen = recording.places.of(itemId)
    const call = yield* asks.take(
      Effect.andThen(
        recording.flushed,
        toolCalls.execute(turn, {
          itemId,
          firstSeen,
          tool,
          arguments: isArguments(input) ? input : { input },
          input: shownInput(input)
        })
      ),
      undefined
    )
    if (call === undefined) return { kind: "denied", reason: over }
    if (!(yield* call.begun)) {
      const { outcome, reason } = yield* call.settled
      return { kind: "denied", reason: reason?.text ?? outcome }
    }
    return {
      kind: "started",
      callId: call.callId,
      output: () => {
        const { dropped, text } = call.output()
        return { text, ...(dropped === undefined ? {} : { dropped }) }
      },
      cancel: toolCalls.cancel(call.callId, { force: false }),
      settled: Effect.map(Effect.orDie(call.settled), ({ exitCode, outcome, reason, signal }) => {
        const value = call.value()
        return {
          outcome,
          ...(exitCode === undefined ? {} : { exitCode }),
          ...(signal === undefined ? {} : { signal }),
          ...(reason === undefined ? {} : { reason: reason.text }),
          ...(value === undefined ? {} : { value })
        }
      })
    }
  })

  return {
    /** The Turn was admitted before its harness got its input. */
    admit: ({ coordinate }) =>
      coordinate === undefined ? Effect.succeed({ kind: "admitted" }) : keep(turn, coordinate).pipe(
        Effect.as({ kind: "admitted" as const }),
        Effect.catch(refusal)
      ),
    checkpoint: (coordinate) =>
      keep(turn, coordinate).pipe(
        Effect.as("stored" as const),
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`The coordinate of a Session was not stored: ${error.reason._tag}`), "refused" as const))
      ),
    context: parts.callsSettled.pipe(
      Effect.andThen(recording.flushed),
      Effect.andThen(context),
      Effect.map((events) => ({ kind: "context" as const, events, tools: tools() })),
      Effect.catch(refusal)
    ),
    propose: (message) => Effect.catch(propose(message), refusal),
    turnDiff: parts.turnDiff,
    execute: (tool, input, itemId) =>
      Effect.catch(execute(tool, input, itemId), (error) => {
        const refused = ofCall(error)
        return Effect.succeed<ExecutionAnswer>(
          refused.reason === "fenced" ? { kind: "fenced" } : { kind: "denied", reason: refused.explanation }
        )
      }),
    outputSink,
    request: requests.ask,
    agentCall: (call) => asks.take(agentCalls.call(call), { kind: "refused", reason: over })
  }
}
