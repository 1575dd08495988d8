/**
 * A Session's transcript in words for a person.
 *
 * Owns: role labels, and that no entry can look like another: a label starts its line, content is indented.
 * Never owns: which rows are conversation, and their order (the Port).
 */
import type { TranscriptEntry, TranscriptPage, UnreadablePlace } from "@steno/contracts"
import { unreadableLines, unreadableText } from "./unreadable-text.ts"
import { visibleEscapes, visibleLine } from "./visible-text.ts"

const kindWords: Record<NonNullable<TranscriptEntry["kind"]>, ReadonlyArray<string>> = {
  "message": [],
  "entry-prompt": ["Entry prompt"],
  "steer": ["Steer"]
}

/** `user`, `user · Entry prompt`, `assistant · incomplete`. */
export const roleText = (entry: TranscriptEntry): string =>
  [
    entry.role,
    ...(entry.kind === undefined ? [] : kindWords[entry.kind]),
    ...(entry.incomplete === true ? ["incomplete"] : [])
  ].join(" · ")

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => line === "" ? "" : `  ${line}`)

const contentText = (content: string): ReadonlyArray<string> => {
  const visible = visibleEscapes(content).replace(/\n+$/, "")
  return visible === "" ? [] : indented(visible.split("\n"))
}

/** Entries and what cannot be read among them, in the order of the log. */
export interface TranscriptContents {
  readonly entries: ReadonlyArray<TranscriptEntry>
  readonly unreadable?: ReadonlyArray<UnreadablePlace>
}

/** Calls the one or the other for each thing of a transcript, in order. */
export const mapContents = <A>(
  { entries, unreadable = [] }: TranscriptContents,
  onEntry: (entry: TranscriptEntry) => A,
  onUnreadable: (place: UnreadablePlace) => A
): ReadonlyArray<A> => [
  ...entries.flatMap((entry, index) => [
    ...unreadable.filter(({ entriesBefore }) => entriesBefore === index).map(onUnreadable),
    onEntry(entry)
  ]),
  ...unreadable.filter(({ entriesBefore }) => entriesBefore >= entries.length).map(onUnreadable)
]

const block = (label: string, lines: ReadonlyArray<string>): string => `${[`${label}:`, ...lines].join("\n")}\n`

/** Lines of one entry. */
export const entryText = (entry: TranscriptEntry, withSession: boolean): ReadonlyArray<string> => [
  `${roleText(entry)}${withSession ? ` · Session ${visibleLine(entry.session)}` : ""}:`,
  ...contentText(entry.content)
]

/** Ends with a newline. */
export const transcriptText = (contents: TranscriptContents): string => {
  const blocks = mapContents(
    contents,
    (entry) => block(roleText(entry), contentText(entry.content)),
    (place) => block(unreadableText(place), indented(unreadableLines(place)))
  )
  return blocks.length === 0 ? "(no entries)\n" : blocks.join("\n")
}

/** How to go on, when there is more. */
export const olderEntriesText = (page: TranscriptPage): string | undefined =>
  page.older === undefined ? undefined : `Older entries: add --cursor ${visibleLine(page.older)}\n`
