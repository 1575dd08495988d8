/**
 * Output that an outside agent supplies of the calls it runs, in the files of these calls.
 *
 * Owns: when the files of a call are made: with the first output of it; that what cannot be kept is told once.
 * Never owns: what a file holds under its caps (process-capture), where it lies (asset-store).
 * Ordering: a call's start, then its output as it was told, then its end. What is added to files that are open is not put off.
 * Limits: a Session without room gets no files; the end of the output lies in the response all the same.
 */
import { AssetStore } from "@steno/asset-store"
import type { CallId, ConversationId } from "@steno/contracts"
import type { ItemId, OutputSink } from "@steno/harness-seam"
import { type Captured, type SuppliedOutput, SuppliedOutputs } from "@steno/process-capture"
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import type { TurnRecording } from "./turn-recording.ts"

/** `refused`: its files could not be made. */
type Output = SuppliedOutput | "refused"

type Told =
  | { readonly kind: "append"; readonly texts: Array<string> }
  | { readonly kind: "replace"; readonly text: string }

const keep = (output: SuppliedOutput, told: Told): Effect.Effect<void> =>
  told.kind === "replace" ? output.replace(told.text) : Effect.sync(() => output.append(told.texts.join("")))

export interface ObservedOutputs {
  readonly sink: (itemId: ItemId) => OutputSink
  /** The call's start is on record. */
  readonly begun: (itemId: ItemId, callId: CallId) => void
  /** Closes the files of the call; undefined where it has none. Called behind everything that was told of it. */
  readonly close: (itemId: ItemId) => Effect.Effect<Captured | undefined>
}

export const makeObservedOutputs = Effect.fnUntraced(function*(conversationId: ConversationId, recording: TurnRecording) {
  const assets = yield* AssetStore
  const supplied = yield* SuppliedOutputs
  const toolCalls = yield* ToolCallService
  const calls = new Map<ItemId, CallId>()
  const outputs = new Map<ItemId, Output>()
  /** Told and not yet kept; the call's start is not on record, or what was told before is not kept. */
  const waiting = new Map<ItemId, Array<Told>>()

  const open = Effect.fnUntraced(function*(callId: CallId) {
    yield* toolCalls.checkSpace(conversationId)
    return yield* supplied.open(yield* assets.makeFolder({ kind: "call", conversationId, callId }))
  })

  const outputOf = Effect.fnUntraced(function*(itemId: ItemId, callId: CallId): Effect.fn.Return<Output> {
    const known = outputs.get(itemId)
    if (known !== undefined) return known
    const output: Output = yield* open(callId).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`The output of call ${callId} is not kept in a file: ${error.message}`), "refused" as const))
    )
    outputs.set(itemId, output)
    return output
  })

  /** Keeps all that waits, also what is told meanwhile, once the call's start is on record. */
  const catchUp = Effect.fnUntraced(function*(itemId: ItemId) {
    const callId = calls.get(itemId)
    const told = waiting.get(itemId)
    if (callId === undefined || told === undefined) return
    const output = yield* outputOf(itemId, callId)
    for (let next = told.shift(); next !== undefined; next = told.shift()) {
      if (output !== "refused") yield* keep(output, next)
    }
    waiting.delete(itemId)
  })

  const put = (itemId: ItemId, told: Told) => {
    const before = waiting.get(itemId)
    if (before === undefined) waiting.set(itemId, [told])
    else before.push(told)
    recording.write(catchUp(itemId))
  }

  const append = (itemId: ItemId, text: string) => {
    const before = waiting.get(itemId)
    const output = outputs.get(itemId)
    if (before === undefined && output !== undefined) {
      if (output !== "refused") output.append(text)
      return
    }
    const last = before?.at(-1)
    if (last?.kind === "append") last.texts.push(text)
    else put(itemId, { kind: "append", texts: [text] })
  }

  return {
    sink: (itemId) => ({
      append: (text) => append(itemId, text),
      replace: (text) => put(itemId, { kind: "replace", text }),
      close: () => {}
    }),
    begun: (itemId, callId) => {
      calls.set(itemId, callId)
    },
    close: (itemId) =>
      Effect.andThen(
        catchUp(itemId),
        Effect.suspend(() => {
          const output = outputs.get(itemId)
          outputs.delete(itemId)
          return output === undefined || output === "refused" ? Effect.undefined : output.close
        })
      )
  } satisfies ObservedOutputs
})
