/**
 * The transcript of a Session, read from its rows: entries, pages, export.
 *
 * Owns: which rows are conversation, where what cannot be read stands among them, pages with a fixed cutoff.
 * Never owns: the text form of a transcript (headless), the Problem of a refused cursor (application).
 * Ordering: that of the rows; pages from the newest to the oldest, entries in a page from the oldest to the newest.
 */
import type { TranscriptEntry, TranscriptExport, TranscriptPage, UnreadableFacts, UnreadablePlace } from "@steno/contracts"
import { Result } from "effect"
import type { HistoryRow } from "./history-row.ts"
import { headOf, type HistoryIndex, rowsUp } from "./history-index.ts"
import { compareOrder } from "./row-order.ts"
import type { SteerValue } from "./row-value.ts"
import {
  decodeTranscriptCursor,
  encodeTranscriptCursor,
  TranscriptCursorInvalid,
  type TranscriptOwner,
  type TranscriptPlace
} from "./transcript-cursor.ts"

/** Entries of a page, unreadable places counted among them. */
export const transcriptPageEntries = 20

/** A Session and the name its entries carry. */
export interface TranscriptSession extends TranscriptOwner {
  readonly name: string
}

/** What a transcript shows: an entry, or a place in the log where one may be missing. */
type Content =
  | { readonly kind: "entry"; readonly entry: TranscriptEntry }
  | { readonly kind: "unreadable"; readonly facts: UnreadableFacts }

const turnOf = ({ turn }: HistoryRow) => turn === undefined ? {} : { turn }

type Delivered = NonNullable<TranscriptEntry["steer"]>["delivery"]

const isDelivered = (delivery: SteerValue["delivery"]): delivery is Delivered =>
  delivery === "within-turn" || delivery === "after-boundary" || delivery === "re-delivered"

/** What a row is in a transcript that knows the log up to `cutoff`; undefined for what it does not show. */
const contentOf = (row: HistoryRow, session: string, cutoff: number): Content | undefined => {
  const { conversationSince = Infinity, value } = row
  switch (value.kind) {
    case "message":
      return conversationSince > cutoff
        ? undefined
        : {
          kind: "entry",
          entry: {
            session,
            role: value.role,
            content: value.content,
            kind: "message",
            ...turnOf(row),
            ...(value.incomplete === undefined ? {} : { incomplete: value.incomplete })
          }
        }
    case "steer":
      return conversationSince > cutoff || !isDelivered(value.delivery)
        ? undefined
        : {
          kind: "entry",
          entry: {
            session,
            role: "user",
            content: value.content,
            kind: "steer",
            ...turnOf(row),
            steer: { id: value.steerId, delivery: value.delivery }
          }
        }
    case "entry-prompt":
      return conversationSince > cutoff
        ? undefined
        : { kind: "entry", entry: { session, role: "user", content: value.content, kind: "entry-prompt", ...turnOf(row) } }
    case "unreadable": {
      const { kind: _, ...facts } = value
      return facts.sequence > cutoff ? undefined : { kind: "unreadable", facts }
    }
    case "thought":
    case "request":
    case "tool":
    case "turn-diff":
    case "agent-call":
    case "turn-result":
      return undefined
  }
}

interface Placed {
  readonly row: HistoryRow
  readonly content: Content
}

/** What is known at `cutoff` from the newest up, beginning at the sequence `from`. */
function* contentsUp(index: HistoryIndex, session: TranscriptSession, cutoff: number, from?: number): Generator<Placed> {
  for (const row of rowsUp(index, session.conversationId, from)) {
    const content = contentOf(row, session.name, cutoff)
    if (content !== undefined) yield { row, content }
  }
}

/** The entries of a Session or a page, oldest first, and what cannot be read among them. */
export interface TranscriptContents {
  readonly entries: ReadonlyArray<TranscriptEntry>
  /** Absent when everything can be read. */
  readonly unreadable?: ReadonlyArray<UnreadablePlace>
}

const toContents = (newestFirst: ReadonlyArray<Content>): TranscriptContents => {
  const entries: Array<TranscriptEntry> = []
  const unreadable: Array<UnreadablePlace> = []
  for (const content of newestFirst.toReversed()) {
    if (content.kind === "entry") entries.push(content.entry)
    else unreadable.push({ ...content.facts, entriesBefore: entries.length })
  }
  return { entries, ...(unreadable.length === 0 ? {} : { unreadable }) }
}

/** The whole conversation of a Session; with a cutoff what it was at that sequence. */
export const transcriptContents = (
  index: HistoryIndex,
  session: TranscriptSession,
  cutoff: number = Infinity
): TranscriptContents => toContents(Array.from(contentsUp(index, session, cutoff), ({ content }) => content))

/** The complete transcript; its cutoff is what the index knows. */
export const transcriptExport = (index: HistoryIndex, session: TranscriptSession): TranscriptExport => ({
  found: true,
  type: "transcript-export",
  ...transcriptContents(index, session)
})

/** The next of `source` as a page. A limit below 1 counts as 1, one above a page's entries as these. */
const takePage = (
  source: Iterable<Placed>,
  session: TranscriptSession,
  cutoff: number,
  limit: number
): TranscriptPage => {
  const size = limit >= 1 ? Math.min(Math.floor(limit), transcriptPageEntries) : 1
  const taken: Array<Placed> = []
  let older: string | undefined
  for (const placed of source) {
    const oldest = taken.at(-1)
    if (taken.length === size && oldest !== undefined) {
      older = encodeTranscriptCursor(session, { cutoff, boundary: oldest.row.order })
      break
    }
    taken.push(placed)
  }
  return {
    found: true,
    type: "transcript-page",
    ...toContents(taken.map(({ content }) => content)),
    ...(older === undefined ? {} : { older })
  }
}

/** The newest page; it fixes the cutoff of all older ones. */
export const firstPage = (
  index: HistoryIndex,
  session: TranscriptSession,
  limit: number = transcriptPageEntries
): TranscriptPage => {
  const cutoff = headOf(index, session.conversationId)
  return takePage(contentsUp(index, session, cutoff), session, cutoff, limit)
}

const olderPage = (
  index: HistoryIndex,
  session: TranscriptSession,
  { boundary, cutoff }: TranscriptPlace,
  limit: number
): Result.Result<TranscriptPage, TranscriptCursorInvalid> => {
  if (cutoff > headOf(index, session.conversationId)) {
    return Result.fail(new TranscriptCursorInvalid({ fault: "cutoff-ahead" }))
  }
  const source = contentsUp(index, session, cutoff, boundary.turn)
  let next = source.next()
  while (next.done !== true && compareOrder(next.value.row.order, boundary) > 0) next = source.next()
  return next.done !== true && compareOrder(next.value.row.order, boundary) === 0
    ? Result.succeed(takePage(source, session, cutoff, limit))
    : Result.fail(new TranscriptCursorInvalid({ fault: "boundary-unknown" }))
}

/** The page a cursor names: one that `older` gave, or a snapshot's reference to the newest page. Later events change nothing in it. */
export const pageAt = (
  index: HistoryIndex,
  session: TranscriptSession,
  cursor: string,
  limit: number = transcriptPageEntries
): Result.Result<TranscriptPage, TranscriptCursorInvalid> =>
  Result.flatMap(decodeTranscriptCursor(cursor, session), (place) =>
    place === "newest"
      ? Result.succeed(firstPage(index, session, limit))
      : olderPage(index, session, place, limit))
