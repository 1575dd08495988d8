/**
 * Output that an outside agent supplies of the calls it runs, in the files of these calls.
 *
 * Owns: when the files of a call are made: with the first output of it; that what cannot be kept is told once.
 * Never owns: what a file holds under its caps (process-capture), where it lies (asset-store).
 * Ordering: a call's start, then its output as it was told, then its end. What is added to files that are open is not put off; what
 * is told while an earlier part waits for its turn is taken with it.
 * Limits: a Session without room gets no files; the end of the output lies in the response all the same. Of output that has no
 * file nothing is held.
 */
import { AssetStore } from "@steno/asset-store"
import type { CallId, ConversationId } from "@steno/contracts"
import type { ItemId, OutputSink } from "@steno/harness-seam"
import { type Captured, type SuppliedOutput, SuppliedOutputs } from "@steno/process-capture"
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import type { TurnRecording } from "./turn-recording.ts"

/** What was told of a call's output and lies in no file yet. */
interface ToldOutput {
  /** All that the file holds gives way to it. */
  replaces: boolean
  texts: Array<string>
}

export interface ObservedOutputs {
  readonly sink: (itemId: ItemId) => OutputSink
  /** The call's start is on record. */
  readonly begun: (itemId: ItemId, callId: CallId) => Effect.Effect<void>
  /** The call's start could not be stored: its output has no place. */
  readonly refuse: (itemId: ItemId) => void
  /** Closes the files of the call; undefined where it has none. Called behind everything that was told of it. */
  readonly close: (itemId: ItemId) => Effect.Effect<Captured | undefined>
}

/** Makes the files of a call; undefined where they cannot be made, which was told. */
export type OpenOutput = (callId: CallId) => Effect.Effect<SuppliedOutput | undefined>

export const makeObservedOutputs = (open: OpenOutput, recording: Pick<TurnRecording, "write">): ObservedOutputs => {
  const calls = new Map<ItemId, CallId>()
  const outputs = new Map<ItemId, SuppliedOutput>()
  const told = new Map<ItemId, ToldOutput>()
  const refused = new Set<ItemId>()
  /** Calls whose file is being made anew. */
  const busy = new Set<ItemId>()

  const refuse = (itemId: ItemId): void => {
    refused.add(itemId)
    told.delete(itemId)
  }

  const outputOf = Effect.fnUntraced(function*(itemId: ItemId, callId: CallId) {
    const known = outputs.get(itemId)
    if (known !== undefined) return known
    const output = yield* open(callId)
    if (output === undefined) refuse(itemId)
    else outputs.set(itemId, output)
    return output
  })

  /** Nothing where the call's start is not on record yet: what was told waits for it. */
  const fill = Effect.fnUntraced(function*(itemId: ItemId) {
    const callId = calls.get(itemId)
    if (callId === undefined || !told.has(itemId)) return
    const output = yield* outputOf(itemId, callId)
    const waiting = told.get(itemId)
    told.delete(itemId)
    if (output === undefined || waiting === undefined) return
    const text = waiting.texts.join("")
    if (!waiting.replaces) return output.append(text)
    busy.add(itemId)
    yield* Effect.ensuring(output.replace(text), Effect.sync(() => busy.delete(itemId)))
  })

  const tell = (itemId: ItemId, text: string, replaces: boolean): void => {
    if (refused.has(itemId)) return
    const waiting = told.get(itemId)
    const output = replaces || busy.has(itemId) ? undefined : outputs.get(itemId)
    if (waiting === undefined && output !== undefined) return output.append(text)
    if (waiting === undefined) {
      told.set(itemId, { replaces, texts: [text] })
      recording.write(fill(itemId))
    } else if (replaces) {
      told.set(itemId, { replaces, texts: [text] })
    } else waiting.texts.push(text)
  }

  return {
    sink: (itemId) => ({
      append: (text) => tell(itemId, text, false),
      replace: (text) => tell(itemId, text, true),
      close: () => {}
    }),
    begun: (itemId, callId) =>
      Effect.suspend(() => {
        calls.set(itemId, callId)
        return fill(itemId)
      }),
    refuse,
    close: (itemId) =>
      Effect.suspend(() => {
        const output = outputs.get(itemId)
        outputs.delete(itemId)
        return output === undefined ? Effect.undefined : output.close
      })
  }
}

/** In the folders of the Session's calls. */
export const makeSessionOutputs = Effect.fnUntraced(function*(conversationId: ConversationId, recording: TurnRecording) {
  const assets = yield* AssetStore
  const supplied = yield* SuppliedOutputs
  const toolCalls = yield* ToolCallService

  const open = Effect.fnUntraced(function*(callId: CallId) {
    yield* toolCalls.checkSpace(conversationId)
    return yield* supplied.open(yield* assets.makeFolder({ kind: "call", conversationId, callId }))
  }, (effect, callId) =>
    Effect.catch(effect, (error) =>
      Effect.as(Effect.logWarning(`The output of call ${callId} is not kept in a file: ${error.message}`), undefined)))

  return makeObservedOutputs(open, recording)
})
