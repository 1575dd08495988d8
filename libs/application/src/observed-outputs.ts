/**
 * Output that an outside agent supplies of the calls it runs, in the files of these calls.
 *
 * Owns: when the files of a call are made: with the first output of it; that what cannot be kept is told once.
 * Never owns: what a file holds under its caps (process-capture), where it lies (asset-store).
 * Ordering: behind everything that was told before it: a call's start, then its output, then its end.
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
type Write = (output: SuppliedOutput) => Effect.Effect<void>

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
  /** Told before the call's start was. */
  const waiting = new Map<ItemId, ReadonlyArray<Write>>()
  /** Added while the last addition still waits for its turn: it is taken with it. */
  const added = new Map<ItemId, Array<string>>()

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

  /** Does what was asked before the call's start was on record, and then nothing is left of that. */
  const catchUp = Effect.fnUntraced(function*(itemId: ItemId) {
    const callId = calls.get(itemId)
    const writes = waiting.get(itemId) ?? []
    if (callId === undefined || writes.length === 0) return
    waiting.delete(itemId)
    const output = yield* outputOf(itemId, callId)
    if (output !== "refused") yield* Effect.forEach(writes, (write) => write(output), { discard: true })
  })

  const fill = (itemId: ItemId, write: Write) =>
    recording.write(Effect.suspend(() => {
      waiting.set(itemId, [...waiting.get(itemId) ?? [], write])
      return catchUp(itemId)
    }))

  const append = (itemId: ItemId, text: string) => {
    const known = added.get(itemId)
    if (known !== undefined) return void known.push(text)
    const texts = [text]
    added.set(itemId, texts)
    fill(itemId, (output) =>
      Effect.suspend(() => {
        if (added.get(itemId) === texts) added.delete(itemId)
        return output.append(texts.join(""))
      }))
  }

  return {
    sink: (itemId) => ({
      append: (text) => append(itemId, text),
      replace: (text) => {
        added.delete(itemId)
        fill(itemId, (output) => output.replace(text))
      },
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
