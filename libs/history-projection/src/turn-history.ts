/**
 * What one Turn has to show: its input, its items, its closing line.
 *
 * Owns: which facts of a Turn count, the identity of its items, their place.
 * Ordering: a Turn stands where its first event does, an item where the fact of it that was stored first says; later facts move neither.
 */
import type { Instant, LoggedEvent, StoredEvent, TurnId } from "@steno/contracts"
import { HashMap, Option } from "effect"
import { type AgentCallItem, takeAgentCallFact } from "./agent-call-item.ts"
import { type CallItem, takeCallFact } from "./call-item.ts"
import type { HistoryRow } from "./history-row.ts"
import { emptyIntegerMap, getInteger, type IntegerMap, setInteger, valuesDown } from "./integer-map.ts"
import { type ItemFact, itemFacts } from "./item-fact.ts"
import { closingPlace, compareOrder, inputPlace } from "./row-order.ts"
import type { EntryPromptValue, MessageValue, RowValue, TurnResultValue } from "./row-value.ts"
import { type DiffItem, type RequestItem, type SteerItem, takeDiff, takeRequest, takeSteer, takeText, type TextItem } from "./said-item.ts"
import { mayHaveEnded, type UnreadableItem, unreadableItem, unreadablePlace } from "./unreadable-item.ts"

type Admitted = Extract<StoredEvent, { readonly type: "turn-admitted" }>
type Answered = Extract<StoredEvent, { readonly type: "assistant-message" | "model" }>
type Settled = Extract<StoredEvent, { readonly type: "turn-settled" }>

interface Input {
  readonly admitted: Admitted
  readonly value: MessageValue | EntryPromptValue
}

type ItemContent = AgentCallItem | CallItem | DiffItem | RequestItem | SteerItem | TextItem

interface Item {
  /** Item type and item id: the identity inside the Turn. */
  readonly key: string
  readonly itemId: string
  /** Of the fact that was stored first. */
  readonly place: number
  readonly sequence: number
  readonly content: ItemContent
}

interface FirstEvent {
  readonly sequence: number
  readonly createdAt: Instant | undefined
}

export interface TurnHistory {
  readonly turnId: TurnId
  readonly first: FirstEvent
  readonly input?: Input
  readonly settled?: Settled
  readonly closing?: TurnResultValue
  /** The newest message or report that names the model. */
  readonly answered?: { readonly sequence: number; readonly model: string }
  /** The newest Agent call that was taken: it counts if the Turn completes. */
  readonly counting?: { readonly sequence: number; readonly key: string }
  readonly places: HashMap.HashMap<string, number>
  /** By place; several only where a place was given twice. */
  readonly items: IntegerMap<ReadonlyArray<Item>>
  /** By sequence. */
  readonly unreadable: IntegerMap<UnreadableItem>
}

const firstOf = ({ createdAt, sequence }: LoggedEvent): FirstEvent => ({ sequence, createdAt })

const emptyTurn = (turnId: TurnId, event: LoggedEvent): TurnHistory => ({
  turnId,
  first: firstOf(event),
  places: HashMap.empty(),
  items: emptyIntegerMap,
  unreadable: emptyIntegerMap
})

const inputValue = ({ payload }: Admitted): MessageValue | EntryPromptValue =>
  payload.origin === "managed"
    ? { kind: "entry-prompt", content: payload.input }
    : { kind: "message", role: "user", content: payload.input }

const durationOf = (admitted: Instant, settled: Instant): number | undefined => {
  const durationMs = Date.parse(settled) - Date.parse(admitted)
  return durationMs >= 0 ? durationMs : undefined
}

const closingValue = (
  { answered, input }: Pick<TurnHistory, "answered" | "input">,
  settled: Settled
): TurnResultValue => {
  const { result } = settled.payload
  const admitted = input?.admitted
  const model = answered?.model ?? admitted?.payload.requestedModel
  const told = model === undefined ? {} : { model }
  if (admitted === undefined) return { kind: "turn-result", origin: "unknown", result, ...told }
  const durationMs = result === "lost" || result === "not-started"
    ? undefined
    : durationOf(admitted.createdAt, settled.createdAt)
  return {
    kind: "turn-result",
    origin: admitted.payload.origin,
    result,
    harness: admitted.payload.harness,
    ...told,
    ...(durationMs === undefined ? {} : { durationMs })
  }
}

const withClosing = (turn: TurnHistory): TurnHistory =>
  turn.settled === undefined ? turn : { ...turn, closing: closingValue(turn, turn.settled) }

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

const withModel = (turn: TurnHistory, { payload: { model }, sequence }: Answered): TurnHistory =>
  model === undefined || (turn.answered !== undefined && turn.answered.sequence >= sequence)
    ? turn
    : withClosing({ ...turn, answered: { sequence, model } })

/** A key belongs to one kind of item, so what is known under it is of the kind of the fact. */
const takeContent = (known: ItemContent | undefined, item: ItemFact): ItemContent => {
  switch (item.kind) {
    case "call":
      return takeCallFact(known?.kind === "call" ? known : undefined, item.fact)
    case "agent-call":
      return takeAgentCallFact(known?.kind === "agent-call" ? known : undefined, item.call, item.fact)
    case "text":
      return takeText(known?.kind === "text" ? known : undefined, item.fact)
    case "steer":
      return takeSteer(known?.kind === "steer" ? known : undefined, item.fact)
    case "request":
      return takeRequest(known?.kind === "request" ? known : undefined, item.fact)
    case "diff":
      return takeDiff(known?.kind === "diff" ? known : undefined, item.fact)
  }
}

const withCounting = (turn: TurnHistory, item: ItemFact): TurnHistory => {
  if (item.kind !== "agent-call" || item.fact.type !== "ended" || !item.fact.isTaken) return turn
  const { fact: { sequence }, key } = item
  const { counting } = turn
  return counting !== undefined && (counting.key === key || counting.sequence >= sequence) ? turn : { ...turn, counting: { sequence, key } }
}

const withContent = (turn: TurnHistory, fact: ItemFact): TurnHistory => {
  const { fact: { sequence }, itemId, key, place } = fact
  const oldPlace = Option.getOrUndefined(HashMap.get(turn.places, key))
  const known = oldPlace === undefined ? undefined : getInteger(turn.items, oldPlace)?.find((item) => item.key === key)
  const content = takeContent(known?.content, fact)
  if (known !== undefined && known.sequence <= sequence) {
    return content === known.content ? turn : withItem(turn, { ...known, content }, oldPlace)
  }
  return withItem(turn, { key, itemId, place, sequence, content }, oldPlace)
}

const takeItemFact = (turn: TurnHistory, fact: ItemFact): TurnHistory => withContent(withCounting(turn, fact), fact)

const takeFact = (turn: TurnHistory, fact: LoggedEvent): TurnHistory => {
  switch (fact.type) {
    case "turn-admitted":
      return turn.input !== undefined && turn.input.admitted.sequence <= fact.sequence
        ? turn
        : withClosing({ ...turn, input: { admitted: fact, value: inputValue(fact) } })
    case "turn-settled":
      return turn.settled !== undefined && turn.settled.sequence <= fact.sequence
        ? turn
        : withClosing({ ...turn, settled: fact })
    case "assistant-message":
      return itemFacts(fact).reduce(takeItemFact, withModel(turn, fact))
    case "model":
      return withModel(turn, fact)
    case "assistant-content":
    case "thought":
    case "request-raised":
    case "request-answered":
    case "request-expired":
    case "elicitation-declined":
    case "tool-call-started":
    case "tool-call-response":
    case "steer":
    case "turn-diff":
    case "agent-call":
      return itemFacts(fact).reduce(takeItemFact, turn)
    case "provider-retry":
    case "agent-call-expired":
      return turn
    case "unreadable":
      return getInteger(turn.unreadable, fact.sequence) !== undefined
        ? turn
        : { ...turn, unreadable: setInteger(turn.unreadable, fact.sequence, unreadableItem(fact)) }
  }
}

/** The Turn, or a new one, with one more fact; the same Turn when the fact does not count. */
export const takeTurnFact = (known: TurnHistory | undefined, turnId: TurnId, fact: LoggedEvent): TurnHistory => {
  const turn = known ?? emptyTurn(turnId, fact)
  return takeFact(fact.sequence < turn.first.sequence ? { ...turn, first: firstOf(fact) } : turn, fact)
}

interface PlacedValue {
  readonly item: string
  readonly place: number
  readonly sequence: number
  readonly value: RowValue
  readonly conversationSince?: number
}

const valueAtEnd = (content: ItemContent, settled: Settled | undefined, isCounting: boolean): RowValue => {
  const { valueAfterInterrupt, valueAfterTurn } = content
  const result = settled?.payload.result
  if (result === "interrupted") return valueAfterInterrupt ?? valueAfterTurn
  return content.kind === "agent-call" && result === "completed" && isCounting ? content.valueIfCounted ?? valueAfterTurn : valueAfterTurn
}

function* readableUp(turn: TurnHistory, unreadable: ReadonlyArray<UnreadableItem>): Generator<PlacedValue> {
  if (turn.settled !== undefined && turn.closing !== undefined) {
    yield { item: "turn-result", place: closingPlace, sequence: turn.settled.sequence, value: turn.closing }
  }
  for (const together of valuesDown(turn.items)) {
    for (const { content, itemId, key, place, sequence } of together.toReversed()) {
      const isOver = turn.settled !== undefined ||
        (content.kind === "call" && unreadable.some((each) => mayHaveEnded(each, itemId)))
      const { conversationSince } = content
      yield {
        item: key,
        place,
        sequence,
        value: isOver ? valueAtEnd(content, turn.settled, turn.counting?.key === key) : content.value,
        ...(conversationSince === undefined ? {} : { conversationSince })
      }
    }
  }
  if (turn.input === undefined) return
  const { admitted: { sequence }, value } = turn.input
  yield { item: "input", place: inputPlace, sequence, value, conversationSince: sequence }
}

/** What cannot be read joins what can at its place. */
const joined = (turn: TurnHistory, unreadable: ReadonlyArray<UnreadableItem>): ReadonlyArray<PlacedValue> =>
  [
    ...readableUp(turn, unreadable),
    ...unreadable.map((each): PlacedValue => ({
      item: `unreadable ${each.event.sequence}`,
      place: unreadablePlace(each, turn.first.sequence),
      sequence: each.event.sequence,
      value: each.value
    }))
  ].sort((left, right) => compareOrder({ turn: 0, ...right }, { turn: 0, ...left }))

/** Rows of the Turn from its closing line up to its input. */
export function* turnRowsUp(turn: TurnHistory): Generator<HistoryRow> {
  const turnStartedAt = turn.input?.admitted.createdAt ?? turn.first.createdAt
  const common = { source: "stored" as const, turn: turn.turnId, ...(turnStartedAt === undefined ? {} : { turnStartedAt }) }
  const unreadable = [...valuesDown(turn.unreadable)]
  for (const { item, place, sequence, ...shown } of unreadable.length === 0 ? readableUp(turn, []) : joined(turn, unreadable)) {
    yield { ...common, key: `${turn.turnId} ${item}`, order: { turn: turn.first.sequence, place, sequence }, ...shown }
  }
}
