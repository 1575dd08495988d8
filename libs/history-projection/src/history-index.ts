/**
 * The index of a Run: stored events in, rows of each Session out.
 *
 * Owns: the state that rows, windows and transcripts are read from.
 * Never owns: reading events (ledger), ids and positions of a subscription (row-numbering).
 * Ordering: the result depends on which events were applied, not on their order; applying one again changes nothing.
 * Limits: an index is immutable; `apply` costs the depth of small trees, whatever the index holds. It keeps every event it was given.
 */
import type { ConversationId, StoredEvent, TurnId } from "@steno/contracts"
import { HashMap, Option } from "effect"
import type { HistoryRow, HistoryWindow } from "./history-row.ts"
import { emptyIntegerMap, type IntegerMap, setInteger, valuesDown } from "./integer-map.ts"
import { emptyTurn, takeTurnFact, type TurnHistory, turnRowsUp } from "./turn-history.ts"

/** Rows of one Session that a client is given at once. */
export const historyWindowRows = 200

interface Admission {
  readonly turnId: TurnId
  readonly sequence: number
}

interface SessionHistory {
  /** Highest sequence applied. */
  readonly head: number
  readonly turns: HashMap.HashMap<TurnId, TurnHistory>
  /** By sequence; an admission that does not count any more stays and is skipped. */
  readonly admissions: IntegerMap<Admission>
}

export interface HistoryIndex {
  readonly sessions: HashMap.HashMap<ConversationId, SessionHistory>
}

export const emptyHistory: HistoryIndex = { sessions: HashMap.empty() }

const emptySession: SessionHistory = { head: 0, turns: HashMap.empty(), admissions: emptyIntegerMap }

const sessionOf = (index: HistoryIndex, conversationId: ConversationId): SessionHistory =>
  Option.getOrElse(HashMap.get(index.sessions, conversationId), () => emptySession)

const takeSessionFact = (session: SessionHistory, event: StoredEvent): SessionHistory => {
  const known = Option.getOrUndefined(HashMap.get(session.turns, event.turnId))
  const turn = takeTurnFact(known ?? emptyTurn(event.turnId), event)
  const head = Math.max(session.head, event.sequence)
  if (turn === known) return head === session.head ? session : { ...session, head }
  return {
    head,
    turns: HashMap.set(session.turns, event.turnId, turn),
    admissions: turn.input === known?.input || turn.input === undefined
      ? session.admissions
      : setInteger(session.admissions, event.sequence, { turnId: event.turnId, sequence: event.sequence })
  }
}

/** The index with one more event; the same index when it held the event already. */
export const apply = (index: HistoryIndex, event: StoredEvent): HistoryIndex => {
  const known = sessionOf(index, event.conversationId)
  const session = takeSessionFact(known, event)
  return session === known ? index : { sessions: HashMap.set(index.sessions, event.conversationId, session) }
}

/** Applies each event to an empty index. */
export const buildHistory = (events: Iterable<StoredEvent>): HistoryIndex => {
  let index = emptyHistory
  for (const event of events) index = apply(index, event)
  return index
}

/** Highest sequence of the Session that was applied; 0 when there is none. */
export const headOf = (index: HistoryIndex, conversationId: ConversationId): number =>
  sessionOf(index, conversationId).head

/** Rows of a Session from the newest up, beginning in the Turn admitted at `fromTurn` or the last one before it. */
export function* rowsUp(
  index: HistoryIndex,
  conversationId: ConversationId,
  fromTurn: number = Infinity
): Generator<HistoryRow> {
  const { admissions, turns } = sessionOf(index, conversationId)
  for (const { sequence, turnId } of valuesDown(admissions, fromTurn)) {
    const turn = Option.getOrUndefined(HashMap.get(turns, turnId))
    if (turn?.input?.admitted.sequence === sequence) yield* turnRowsUp(turn)
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
