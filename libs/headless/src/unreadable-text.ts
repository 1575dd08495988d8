/**
 * A place in a Session's log that cannot be read, in words for a person.
 *
 * Owns: what is said about it: which event, since when, why, the beginning of its stored text.
 */
import type { UnreadableFacts, UnreadableReason } from "@steno/contracts"
import { byteText } from "./quantity-text.ts"
import { visibleEscapes, visibleLine } from "./visible-text.ts"

const reasonWords: Record<UnreadableReason, string> = {
  "lost": "its row is lost",
  "column-damaged": "a column of its row is damaged",
  "type-unknown": "its type is unknown",
  "version-unknown": "its version is unknown",
  "not-json": "its payload is no JSON",
  "shape-unknown": "its payload is not what its type says"
}

/** Units of stored text where only a line is shown. */
const lineUnits = 200

const eventText = ({ lastSequence, sequence }: UnreadableFacts): string =>
  lastSequence === undefined ? `event ${sequence}` : `events ${sequence} to ${lastSequence}`

const storedAs = ({ at, storedType, storedVersion }: UnreadableFacts): string =>
  [
    ...(storedType === undefined ? [] : [`stored as ${visibleLine(storedType)}${storedVersion === undefined ? "" : `.${storedVersion}`}`]),
    ...(at === undefined ? [] : [`at ${at}`])
  ].join(" ")

/** `event 50 cannot be read: its payload is no JSON; stored as tool-call-response.1 at 2026-…`. */
export const unreadableText = (facts: UnreadableFacts): string => {
  const stored = storedAs(facts)
  return `${eventText(facts)} cannot be read: ${reasonWords[facts.reason]}${stored === "" ? "" : `; ${stored}`}`
}

/** The beginning of the stored text on one line; undefined where nothing of it is known. */
export const unreadableLine = ({ sizeBytes, text }: UnreadableFacts): string | undefined =>
  text === undefined
    ? undefined
    : `Stored text (${byteText(sizeBytes ?? 0)}): ${visibleLine(text.slice(0, lineUnits).toWellFormed())}${text.length > lineUnits ? "…" : ""}`

/** As much of the stored text as the document holds, and how much there is when that is not all. */
export const unreadableLines = ({ sizeBytes, text }: UnreadableFacts): ReadonlyArray<string> => {
  if (text === undefined) return []
  const isCut = sizeBytes !== undefined && sizeBytes > new TextEncoder().encode(text).length
  return [...visibleEscapes(text).split("\n"), ...(isCut ? [`… (${byteText(sizeBytes)} in all)`] : [])]
}
