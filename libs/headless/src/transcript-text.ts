/**
 * A Session's transcript in words for a person.
 *
 * Owns: role labels, and that no entry can look like another: a label starts its line, content is indented.
 * Never owns: which rows are conversation, and their order (the Port).
 */
import type { TranscriptEntry, TranscriptPage } from "@steno/contracts"
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

const contentText = (content: string): ReadonlyArray<string> => {
  const visible = visibleEscapes(content).replace(/\n+$/, "")
  return visible === "" ? [] : visible.split("\n").map((line) => line === "" ? "" : `  ${line}`)
}

/** Ends with a newline. */
export const transcriptText = (entries: ReadonlyArray<TranscriptEntry>): string =>
  entries.length === 0
    ? "(no entries)\n"
    : entries.map((entry) => `${[`${roleText(entry)}:`, ...contentText(entry.content)].join("\n")}\n`).join("\n")

/** How to go on, when there is more. */
export const olderEntriesText = (page: TranscriptPage): string | undefined =>
  page.older === undefined ? undefined : `Older entries: add --cursor ${visibleLine(page.older)}\n`
