/**
 * Observed tool calls of one Turn.
 *
 * Owns: merging what is said about a call, its retained output, its one end.
 * Never owns: an end that nobody reported: a call that runs when the Turn ends gets no event.
 * Ordering: a start comes before anything else of a call, also where only its end was reported; output reaches its sink
 * before the end is told.
 * Limits: deterministic, without clock or I/O. Per running call the last `retainedOutputUnits` UTF-16 units.
 */
import type { RetainedOutput } from "@steno/contracts"
import type { ItemId } from "./item-id.ts"
import { emptyTail, extendTail, type RetainedTail, tailText } from "./retained-tail.ts"
import { SafeText, type Secrets, safeText, safeValue } from "./safe-text.ts"
import { type CallEnding, type ReportedCall, type ToolCallValue, wellFormedCall } from "./tool-call-value.ts"
import { emit, ignored, sink, type TurnOutput } from "./turn-output.ts"
import type { TurnReport } from "./turn-report.ts"

type CallReport = Extract<TurnReport, { readonly type: "call-started" | "call-updated" | "call-ended" }>

interface CallItem {
  fields: ReportedCall
  safe: SafeText
  /** Undefined: nothing was supplied. */
  tail: RetainedTail | undefined
  ended: boolean
}

export class CallItems {
  readonly #secrets: Secrets
  readonly #items = new Map<ItemId, CallItem>()
  readonly #executed = new Set<ItemId>()
  readonly #openSinks = new Set<ItemId>()

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  /** Steno runs this call itself: what the harness says of it later is the same call and adds nothing. */
  join(itemId: ItemId): void {
    if (!this.#items.has(itemId)) this.#executed.add(itemId)
  }

  apply(report: CallReport): ReadonlyArray<TurnOutput> {
    const { itemId } = report.call
    if (this.#executed.has(itemId)) return []
    const known = this.#items.get(itemId)
    if (known !== undefined && (known.ended || report.type === "call-started")) return ignored("repeated-report")
    const said = safeValue(this.#secrets, wellFormedCall(report.call))
    const item = known ?? { fields: said, safe: new SafeText(this.#secrets), tail: undefined, ended: false }
    this.#items.set(itemId, item)
    item.fields = { ...item.fields, ...said }
    const started = known === undefined ? [emit({ type: "tool-call-started", call: callValue(item, undefined) })] : []
    if (report.type === "call-ended") return [...started, ...this.#end(item, report.ending, report.output)]
    const before = item.tail
    const supplied = this.#supply(item, report)
    const told = known === undefined ? item.tail !== undefined : item.tail !== before || hasFields(said)
    return [
      ...started,
      ...supplied,
      ...(told ? [emit({ type: "tool-preview", call: callValue(item, retained(item.tail, false)) })] : [])
    ]
  }

  /** Ends no call. */
  end(): ReadonlyArray<TurnOutput> {
    return [...this.#openSinks].map((itemId) => this.#closeSink(itemId))
  }

  #supply(item: CallItem, report: Exclude<CallReport, { readonly type: "call-ended" }>): ReadonlyArray<TurnOutput> {
    if (typeof report.output === "string") return this.#replaceOutput(item, report.output, false)
    const delta = report.type === "call-updated" ? report.outputDelta : undefined
    if (typeof delta !== "string" || delta === "") return []
    return this.#append(item, item.safe.push(delta))
  }

  #end(item: CallItem, ending: CallEnding, output: string | undefined): ReadonlyArray<TurnOutput> {
    item.ended = true
    const whole = typeof output === "string"
    const supplied = whole ? this.#replaceOutput(item, output, true) : this.#append(item, item.safe.close())
    const itemId = item.fields.itemId
    return [
      ...supplied,
      ...(this.#openSinks.has(itemId) ? [this.#closeSink(itemId)] : []),
      emit({
        type: "tool-call-ended",
        call: callValue(item, retained(item.tail, !whole)),
        ending: provenEnding(item.fields, safeValue(this.#secrets, ending))
      })
    ]
  }

  #append(item: CallItem, piece: string): ReadonlyArray<TurnOutput> {
    if (piece === "") return []
    item.tail = extendTail(item.tail ?? emptyTail, piece)
    return [this.#fill(item.fields.itemId, { kind: "append", text: piece })]
  }

  #replaceOutput(item: CallItem, output: string, final: boolean): ReadonlyArray<TurnOutput> {
    item.safe = new SafeText(this.#secrets)
    const text = final ? safeText(this.#secrets, output) : item.safe.push(output)
    const { tail } = item
    item.tail = extendTail(emptyTail, text)
    const before = tail === undefined || tail.dropped ? undefined : tailText(tail)
    if (before === undefined || !text.startsWith(before)) return [this.#fill(item.fields.itemId, { kind: "replace", text })]
    const added = text.slice(before.length)
    return added === "" ? [] : [this.#fill(item.fields.itemId, { kind: "append", text: added })]
  }

  #fill(itemId: ItemId, action: { readonly kind: "append" | "replace"; readonly text: string }): TurnOutput {
    this.#openSinks.add(itemId)
    return sink(itemId, action)
  }

  #closeSink(itemId: ItemId): TurnOutput {
    this.#openSinks.delete(itemId)
    return sink(itemId, { kind: "close" })
  }
}

const hasFields = (said: ReportedCall): boolean => Object.keys(said).length > 1

const retained = (tail: RetainedTail | undefined, incomplete: boolean): RetainedOutput | undefined =>
  tail === undefined ? undefined : {
    text: tailText(tail),
    ...(tail.dropped ? { dropped: true } : {}),
    ...(incomplete ? { incomplete: true } : {})
  }

const callValue = ({ fields }: CallItem, output: RetainedOutput | undefined): ToolCallValue => ({
  tool: "other",
  input: "",
  ...fields,
  ...(output === undefined ? {} : { output })
})

/** A command whose exit code was reported did what it was asked, whatever the harness calls that. */
const provenEnding = (fields: ReportedCall, ending: CallEnding): CallEnding =>
  fields.tool === "command" && fields.exitCode !== undefined && ending.outcome === "failed"
    ? { outcome: "completed" }
    : ending
