/**
 * The transcript of a Session, read from its rows: entries, pages, export.
 *
 * Owns: which rows are conversation, pages with a fixed cutoff.
 * Never owns: the text form of a transcript (headless), the Problem of a refused cursor (application).
 * Ordering: that of the rows; pages from the newest to the oldest, entries in a page from the oldest to the newest.
 */
import type { TranscriptEntry, TranscriptExport, TranscriptPage } from "@steno/contracts"
import { Result } from "effect"
import type { HistoryRow } from "./history-row.ts"
import { headOf, type HistoryIndex, rowsUp } from "./history-index.ts"
import { compareOrder } from "./row-order.ts"
import {
  decodeTranscriptCursor,
  encodeTranscriptCursor,
  TranscriptCursorInvalid,
  type TranscriptOwner,
  type TranscriptPlace
} from "./transcript-cursor.ts"

/** Entries of a page. */
export const transcriptPageEntries = 20

/** A Session and the name its entries carry. */
export interface TranscriptSession extends TranscriptOwner {
  readonly name: string
}

/** A row that is conversation, as its entry; undefined for every other row. */
const entryOf = (row: HistoryRow, session: string): TranscriptEntry | undefined => {
  const { turn, value } = row
  switch (value.kind) {
    case "message":
      return { session, role: value.role, content: value.content, kind: "message", turn }
    case "entry-prompt":
      return { session, role: "user", content: value.content, kind: "entry-prompt", turn }
    case "tool":
    case "turn-result":
      return undefined
  }
}

interface PlacedEntry {
  readonly row: HistoryRow
  readonly entry: TranscriptEntry
}

/** Entries known at `cutoff` from the newest up, beginning in the Turn admitted at `fromTurn`. */
function* entriesUp(
  index: HistoryIndex,
  session: TranscriptSession,
  cutoff: number,
  fromTurn?: number
): Generator<PlacedEntry> {
  for (const row of rowsUp(index, session.conversationId, fromTurn)) {
    if (row.conversationSince === undefined || row.conversationSince > cutoff) continue
    const entry = entryOf(row, session.name)
    if (entry !== undefined) yield { row, entry }
  }
}

/** The entries of a Session, oldest first; with a cutoff those that were conversation at that sequence. */
export const transcriptEntries = (
  index: HistoryIndex,
  session: TranscriptSession,
  cutoff: number = Infinity
): ReadonlyArray<TranscriptEntry> =>
  Array.from(entriesUp(index, session, cutoff), ({ entry }) => entry).reverse()

/** The complete transcript; its cutoff is what the index knows. */
export const transcriptExport = (index: HistoryIndex, session: TranscriptSession): TranscriptExport => ({
  found: true,
  type: "transcript-export",
  entries: transcriptEntries(index, session)
})

/** The next entries of `source` as a page. A limit below 1 counts as 1, one above a page's entries as these. */
const takePage = (
  source: Iterable<PlacedEntry>,
  session: TranscriptSession,
  cutoff: number,
  limit: number
): TranscriptPage => {
  const size = limit >= 1 ? Math.min(Math.floor(limit), transcriptPageEntries) : 1
  const taken: Array<PlacedEntry> = []
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
    entries: taken.map(({ entry }) => entry).reverse(),
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
  return takePage(entriesUp(index, session, cutoff), session, cutoff, limit)
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
  const source = entriesUp(index, session, cutoff, boundary.turn)
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
