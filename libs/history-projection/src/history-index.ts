/**
 * The index of a Run: stored events in, rows of each Session out.
 *
 * Owns: the state that rows, windows and transcripts are read from.
 * Never owns: reading events (ledger), ids and positions of a subscription (row-numbering).
 * Ordering: the result depends on which events were applied, not on their order; applying one again changes nothing.
 * Limits: an index is immutable; `apply` costs the depth of small trees, whatever the index holds. It keeps every event it was given.
 */
import type { ConversationId, LoggedEvent, TurnId, UnreadableEvent } from "@steno/contracts"
import { HashMap, Option } from "effect"
import type { HistoryRow, HistoryWindow } from "./history-row.ts"
import { emptyIntegerMap, getInteger, type IntegerMap, setInteger, valuesDown } from "./integer-map.ts"
import { inputPlace } from "./row-order.ts"
import { takeTurnFact, type TurnHistory, turnRowsUp } from "./turn-history.ts"
import { type UnreadableItem, unreadableItem } from "./unreadable-item.ts"

/** Rows of one Session that a client is given at once. */
export const historyWindowRows = 200

/** Where rows begin: the first event of a Turn, or an unreadable event of which no Turn is known. */
type Beginning =
  | { readonly kind: "turn"; readonly turnId: TurnId; readonly sequence: number }
  | { readonly kind: "unreadable"; readonly item: UnreadableItem }

interface SessionHistory {
  /** Highest sequence applied. */
  readonly head: number
  readonly turns: HashMap.HashMap<TurnId, TurnHistory>
  /** By sequence; a Turn's that is not its first event any more stays and is skipped. */
  readonly beginnings: IntegerMap<Beginning>
}

export interface HistoryIndex {
  readonly sessions: HashMap.HashMap<ConversationId, SessionHistory>
}

export const emptyHistory: HistoryIndex = { sessions: HashMap.empty() }

const emptySession: SessionHistory = { head: 0, turns: HashMap.empty(), beginnings: emptyIntegerMap }

const sessionOf = (index: HistoryIndex, conversationId: ConversationId): SessionHistory =>
  Option.getOrElse(HashMap.get(index.sessions, conversationId), () => emptySession)

/** An event of a Turn; `last` is the highest sequence it stands for. */
const takeOfTurn = (session: SessionHistory, turnId: TurnId, event: LoggedEvent, last: number): SessionHistory => {
  const head = Math.max(session.head, last)
  const known = Option.getOrUndefined(HashMap.get(session.turns, turnId))
  const turn = takeTurnFact(known, turnId, event)
  if (turn === known) return head === session.head ? session : { ...session, head }
  const { sequence } = event
  return {
    head,
    turns: HashMap.set(session.turns, turnId, turn),
    beginnings: turn.first === known?.first
      ? session.beginnings
      : setInteger(session.beginnings, sequence, { kind: "turn", turnId, sequence })
  }
}

const takeLoose = (session: SessionHistory, event: UnreadableEvent, last: number): SessionHistory =>
  getInteger(session.beginnings, event.sequence) !== undefined ? session : {
    ...session,
    head: Math.max(session.head, last),
    beginnings: setInteger(session.beginnings, event.sequence, { kind: "unreadable", item: unreadableItem(event) })
  }

const takeSessionFact = (session: SessionHistory, event: LoggedEvent): SessionHistory => {
  if (event.type !== "unreadable") return takeOfTurn(session, event.turnId, event, event.sequence)
  const last = event.lastSequence ?? event.sequence
  return event.turnId === undefined ? takeLoose(session, event, last) : takeOfTurn(session, event.turnId, event, last)
}

/** The index with one more event; the same index when it held the event already. */
export const apply = (index: HistoryIndex, event: LoggedEvent): HistoryIndex => {
  const known = sessionOf(index, event.conversationId)
  const session = takeSessionFact(known, event)
  return session === known ? index : { sessions: HashMap.set(index.sessions, event.conversationId, session) }
}

/** Applies each event to an empty index. */
export const buildHistory = (events: Iterable<LoggedEvent>): HistoryIndex => {
  let index = emptyHistory
  for (const event of events) index = apply(index, event)
  return index
}

/** Highest sequence of the Session that was applied; 0 when there is none. */
export const headOf = (index: HistoryIndex, conversationId: ConversationId): number =>
  sessionOf(index, conversationId).head

const looseRow = ({ event: { sequence }, value }: UnreadableItem): HistoryRow => ({
  key: `unreadable ${sequence}`,
  order: { turn: sequence, place: inputPlace, sequence },
  source: "stored",
  value
})

/** Rows of a Session from the newest up, beginning with those that begin at `from` or the last ones before it. */
export function* rowsUp(
  index: HistoryIndex,
  conversationId: ConversationId,
  from: number = Infinity
): Generator<HistoryRow> {
  const { beginnings, turns } = sessionOf(index, conversationId)
  for (const beginning of valuesDown(beginnings, from)) {
    if (beginning.kind === "unreadable") {
      yield looseRow(beginning.item)
      continue
    }
    const turn = Option.getOrUndefined(HashMap.get(turns, beginning.turnId))
    if (turn?.first.sequence === beginning.sequence) yield* turnRowsUp(turn)
  }
}

/** The newest rows of a Session, at most `limit`; an unknown Session has none. */
export const newestRows = (
  index: HistoryIndex,
  conversationId: ConversationId,
  limit: number = historyWindowRows
): HistoryWindow => {
  const rows: Array<HistoryRow> = []
  for (const row of rowsUp(index, conversationId)) {
    if (rows.length === limit) return { rows: rows.reverse(), hasEarlier: true }
    rows.push(row)
  }
  return { rows: rows.reverse(), hasEarlier: false }
}
