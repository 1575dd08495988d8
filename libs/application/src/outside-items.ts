/**
 * Texts, Thoughts and calls of an outside agent, as it reports them.
 *
 * Owns: which reports are facts that are stored, what was supplied of the output of a call that is open.
 * Never owns: what an end means for a call (tool-call-service), merging reports (harness-seam).
 * Ordering: as they were told; a call's start before its end.
 * Limits: previews, context, usage and activity are never stored, nor is a blank Thought. Nothing is inferred: a call without
 * an end is left open until its Turn is settled.
 */
import type { ReportedFacts, RetainedOutput, UnfinishedCall } from "@steno/contracts"
import { type CallEnding, ItemId, type ToolCallValue, type TurnEvent, type TurnResult } from "@steno/harness-seam"
import { LedgerError, RunLedger } from "@steno/ledger"
import { type CallTurn, type ObservedEnd, type ObservedStart, type ToolCallError, ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { makeSessionOutputs } from "./observed-outputs.ts"
import type { TurnItems } from "./turn-items.ts"
import type { TurnPlaces } from "./turn-places.ts"
import type { TurnRecording } from "./turn-recording.ts"

const startOf = ({ cwd, input, itemId, parentItemId, tool }: ToolCallValue, places: TurnPlaces): ObservedStart => ({
  itemId,
  firstSeen: places.of(itemId),
  tool,
  input,
  ...(cwd === undefined ? {} : { cwd }),
  ...(parentItemId === undefined ? {} : { parentItemId })
})

const reasonOf = (ending: CallEnding): ObservedEnd["reason"] => {
  const text = ending.outcome === "failed" ? ending.error : ending.outcome === "denied" ? ending.reason : undefined
  return text === undefined ? undefined : { code: `reported-${ending.outcome}`, text }
}

const reportedOf = ({ count, files, nativeOmission }: ToolCallValue): ReportedFacts | undefined =>
  count === undefined && files === undefined && nativeOmission === undefined ? undefined : {
    ...(nativeOmission === undefined ? {} : { nativeOmission }),
    ...(count === undefined ? {} : { count }),
    ...(files === undefined ? {} : { files })
  }

const endOf = (call: ToolCallValue, ending: CallEnding): ObservedEnd => {
  const { exitCode, itemId, output } = call
  const reason = reasonOf(ending)
  const reported = reportedOf(call)
  return {
    itemId,
    outcome: ending.outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(output === undefined ? {} : { output }),
    ...(reported === undefined ? {} : { reported })
  }
}

export const makeOutsideItems = Effect.fnUntraced(function*(turn: CallTurn, recording: TurnRecording) {
  const runs = yield* RunLedger
  const toolCalls = yield* ToolCallService
  const { places } = recording
  const outputs = yield* makeSessionOutputs(turn.conversationId, recording)
  /** Calls without a stored end, with what was supplied of their output. */
  const open = new Map<ItemId, RetainedOutput | undefined>()
  let elicitations = 0
  let reportedModel: string | undefined

  const store = (what: string, write: Effect.Effect<unknown, ToolCallError>) =>
    recording.write(write.pipe(
      Effect.catch(({ reason }) => {
        if ("cause" in reason && reason.cause instanceof LedgerError) recording.refused(reason.cause)
        return Effect.logWarning(`The ${what} of a call of Turn ${turn.turnId} was not stored: ${reason._tag}`)
      }),
      Effect.asVoid
    ))

  const observe = (event: TurnEvent): void => {
    switch (event.type) {
      case "assistant-content": {
        const { type, ...payload } = event
        return recording.tell(event.messageId, { type, payload })
      }
      case "thought": {
        const { type, ...payload } = event
        if (payload.content.trim() === "") return
        return recording.tell(event.summaryId, { type, payload })
      }
      case "model": {
        const { type, ...payload } = event
        reportedModel = payload.model
        return recording.tell(undefined, { type, payload })
      }
      case "elicitation-declined": {
        const { type, ...payload } = event
        return recording.tell(`elicitation ${elicitations++}`, { type, payload })
      }
      case "tool-call-started":
        open.set(event.call.itemId, event.call.output)
        return store("start", toolCalls.observeStart(turn, startOf(event.call, places)).pipe(
          Effect.onError(() => Effect.sync(() => outputs.refuse(event.call.itemId))),
          Effect.flatMap((callId) => outputs.begun(event.call.itemId, callId))
        ))
      case "tool-preview":
        if (event.call.output !== undefined) open.set(event.call.itemId, event.call.output)
        return
      case "tool-call-ended": {
        const { call, ending } = event
        return store("end", Effect.gen(function*() {
          const captured = yield* outputs.close(call.itemId)
          yield* toolCalls.observeEnd(turn, { ...endOf(call, ending), ...(captured === undefined ? {} : { captured }) })
          open.delete(call.itemId)
        }))
      }
      default:
        return
    }
  }

  /** Of every call of the Turn that has a start and no end on record. */
  const responses = Effect.gen(function*() {
    if (open.size === 0) return []
    const record = yield* runs.readRun(turn.fence.runId)
    const left = (record?.unfinished ?? []).filter((row) => row.turnId === turn.turnId && row.origin === "observed")
    const calls = yield* Effect.forEach(left, Effect.fnUntraced(function*(row: UnfinishedCall) {
      const itemId = ItemId.make(row.itemId)
      const captured = yield* outputs.close(itemId)
      return { row, arguments: undefined, output: open.get(itemId) ?? { text: "" }, ...(captured === undefined ? {} : { captured }) }
    }))
    return yield* toolCalls.prepareAbandoned(calls)
  })

  const leave = Effect.fnUntraced(function*(result: TurnResult): Effect.fn.Return<
    Effect.Success<typeof responses>,
    LedgerError
  > {
    const answered = "model" in result ? result.model : undefined
    if (answered !== undefined && answered !== "" && answered !== reportedModel) recording.tell(undefined, { type: "model", payload: { model: answered } })
    yield* recording.flushed
    return yield* responses
  })

  return { observe, outputSink: outputs.sink, leave } satisfies TurnItems
})
