/**
 * Replaces what belongs to the machine of a recording by placeholders that are the same on every machine.
 *
 * Owns: the order of replacements and the forms in which a path is written.
 * Limits: plain text replacement; a value that is told only in another encoding is not found.
 */

export interface Redaction {
  /** What is replaced. */
  readonly value: string
  readonly placeholder: string
  /** What it stands for, in words. */
  readonly meaning: string
}

/** As Claude Code names the folder of a project. */
const dashed = (path: string): string => path.replaceAll(/[^A-Za-z0-9]/g, "-")

/** A path as it is, relative to the root, and in the dashed form. */
const formsOf = ({ placeholder, value }: Redaction): ReadonlyArray<readonly [string, string]> =>
  value.startsWith("/")
    ? [[value, placeholder], [value.slice(1), placeholder.slice(1)], [dashed(value), dashed(placeholder)]]
    : [[value, placeholder]]

/** Longer values first, so that a folder inside another one keeps its own placeholder. */
export const makeRedact = (redactions: ReadonlyArray<Redaction>): (text: string) => string => {
  const forms = redactions
    .filter(({ value }) => value !== "")
    .flatMap(formsOf)
    .toSorted(([left], [right]) => right.length - left.length)
  return (text) => forms.reduce((redacted, [value, placeholder]) => redacted.replaceAll(value, placeholder), text)
}

/** What must not stand in a recording: folders of people and of temporary files, addresses with a real port, keys. */
export const tracesOfMachine = (text: string): ReadonlyArray<string> => {
  const paths = /(?<![\w.~-])\/(?:tmp|var\/tmp|home|root|Users|private)(?:\/[\w.@-]+)*(?![\w-])/g
  const addresses = /\b(?:127\.0\.0\.1|localhost):(?!9\b|1\b)\d+/g
  const keys = /\bsk-[A-Za-z0-9-]{8,}/g
  const scratch = /mp\/steno|steno-recordi\w*/g
  return [paths, addresses, keys, scratch].flatMap((trace) => text.match(trace) ?? [])
}
