/**
 * What one Turn has to show: its input, its items, its closing line.
 *
 * Owns: which facts of a Turn count, the identity of its items, their place.
 * Ordering: an item stands where the fact of it that was stored first says; later facts do not move it.
 * Limits: a Turn whose admission is not known has no order in its Session and shows nothing.
 */
import type { Instant, StoredEvent, TurnId } from "@steno/contracts"
import { HashMap, Option } from "effect"
import { type CallFact, type CallItem, takeCallFact } from "./call-item.ts"
import type { HistoryRow } from "./history-row.ts"
import { emptyIntegerMap, getInteger, type IntegerMap, setInteger, valuesDown } from "./integer-map.ts"
import { closingPlace, inputPlace } from "./row-order.ts"
import type { EntryPromptValue, MessageValue, TurnResultValue } from "./row-value.ts"

type Admitted = Extract<StoredEvent, { readonly type: "turn-admitted" }>
type Settled = Extract<StoredEvent, { readonly type: "turn-settled" }>

interface Input {
  readonly admitted: Admitted
  readonly value: MessageValue | EntryPromptValue
}

interface Item {
  /** Item type and item id: the identity inside the Turn. */
  readonly key: string
  /** Of the fact that was stored first. */
  readonly place: number
  readonly sequence: number
  readonly call: CallItem
}

export interface TurnHistory {
  readonly turnId: TurnId
  readonly input?: Input
  readonly settled?: Settled
  readonly closing?: TurnResultValue
  readonly places: HashMap.HashMap<string, number>
  /** By place; several only where a place was given twice. */
  readonly items: IntegerMap<ReadonlyArray<Item>>
}

export const emptyTurn = (turnId: TurnId): TurnHistory => ({ turnId, places: HashMap.empty(), items: emptyIntegerMap })

const inputValue = ({ payload }: Admitted): MessageValue | EntryPromptValue =>
  payload.origin === "managed"
    ? { kind: "entry-prompt", content: payload.input }
    : { kind: "message", role: "user", content: payload.input }

const durationOf = (admitted: Instant, settled: Instant): number | undefined => {
  const durationMs = Date.parse(settled) - Date.parse(admitted)
  return durationMs >= 0 ? durationMs : undefined
}

const closingValue = (admitted: Admitted, settled: Settled): TurnResultValue => {
  const { result } = settled.payload
  const durationMs = result === "lost" || result === "not-started"
    ? undefined
    : durationOf(admitted.createdAt, settled.createdAt)
  return {
    kind: "turn-result",
    origin: admitted.payload.origin,
    result,
    harness: admitted.payload.harness,
    ...(durationMs === undefined ? {} : { durationMs })
  }
}

const withClosing = (turn: TurnHistory): TurnHistory =>
  turn.input === undefined || turn.settled === undefined
    ? turn
    : { ...turn, closing: closingValue(turn.input.admitted, turn.settled) }

const byFirstFact = (left: Item, right: Item): number =>
  left.sequence - right.sequence || (left.key < right.key ? -1 : 1)

const withItem = (turn: TurnHistory, item: Item, oldPlace: number | undefined): TurnHistory => {
  const isOther = ({ key }: Item) => key !== item.key
  const cleared = oldPlace === undefined || oldPlace === item.place
    ? turn.items
    : setInteger(turn.items, oldPlace, (getInteger(turn.items, oldPlace) ?? []).filter(isOther))
  const others = getInteger(cleared, item.place)?.filter(isOther) ?? []
  return {
    ...turn,
    places: oldPlace === item.place ? turn.places : HashMap.set(turn.places, item.key, item.place),
    items: setInteger(cleared, item.place, [...others, item].sort(byFirstFact))
  }
}

const takeItemFact = (turn: TurnHistory, fact: CallFact): TurnHistory => {
  const key = `tool ${fact.itemId ?? fact.payload.callId}`
  const oldPlace = Option.getOrUndefined(HashMap.get(turn.places, key))
  const known = oldPlace === undefined ? undefined : getInteger(turn.items, oldPlace)?.find((item) => item.key === key)
  const call = takeCallFact(known?.call, fact)
  if (known !== undefined && known.sequence <= fact.sequence) {
    return call === known.call ? turn : withItem(turn, { ...known, call }, oldPlace)
  }
  const place = Math.max(0, fact.firstSeen ?? fact.sequence)
  return withItem(turn, { key, place, sequence: fact.sequence, call }, oldPlace)
}

/** The Turn with one more fact; the same Turn when the fact does not count. */
export const takeTurnFact = (turn: TurnHistory, fact: StoredEvent): TurnHistory => {
  switch (fact.type) {
    case "turn-admitted":
      return turn.input !== undefined && turn.input.admitted.sequence <= fact.sequence
        ? turn
        : withClosing({ ...turn, input: { admitted: fact, value: inputValue(fact) } })
    case "turn-settled":
      return turn.settled !== undefined && turn.settled.sequence <= fact.sequence
        ? turn
        : withClosing({ ...turn, settled: fact })
    case "tool-call-started":
    case "tool-call-response":
      return takeItemFact(turn, fact)
  }
}

/** Rows of the Turn from its closing line up to its input. */
export function* turnRowsUp(turn: TurnHistory): Generator<HistoryRow> {
  if (turn.input === undefined) return
  const { admitted, value } = turn.input
  const common = { source: "stored" as const, turn: turn.turnId, turnStartedAt: admitted.createdAt }
  const order = (place: number, sequence: number) => ({ turn: admitted.sequence, place, sequence })
  const keyOf = (item: string) => `${turn.turnId} ${item}`
  if (turn.settled !== undefined && turn.closing !== undefined) {
    const { sequence } = turn.settled
    yield { ...common, key: keyOf("turn-result"), order: order(closingPlace, sequence), value: turn.closing }
  }
  for (const together of valuesDown(turn.items)) {
    for (const { call, key, place, sequence } of together.toReversed()) {
      const shown = turn.settled === undefined ? call.value : call.valueAfterTurn
      yield { ...common, key: keyOf(key), order: order(place, sequence), value: shown }
    }
  }
  const { sequence } = admitted
  yield { ...common, key: keyOf("input"), order: order(inputPlace, sequence), value, conversationSince: sequence }
}
