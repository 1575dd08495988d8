/**
 * Words the facts around a process's output.
 *
 * Owns: how an end is said. An end nobody observed is never worded as failed, a code nobody collected never as a number.
 * Limits: every text is one line, clean and bounded.
 */
import { clipAtGrapheme, clipCharacters } from "./clipped-text.ts"
import type { ProcessFacts } from "./result-policy.ts"
import { visibleLines } from "./visible-lines.ts"

const commandCharacters = 200
const survivorCharacters = 80
const namedSurvivors = 3
const sentenceBytes = 300

const oneLine = (text: string): string => visibleLines(text).map((line) => line.trim()).filter((line) => line !== "").join(" ")

export const durationWords = (durationMs: number): string =>
  durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`

export const countWords = (count: number, singular: string, plural: string): string =>
  `${count} ${count === 1 ? singular : plural}`

/** `Command: npm test`, the first line that says something. */
export const commandLine = (command: string): string => {
  const lines = visibleLines(command)
  const first = lines.find((line) => line.trim() !== "") ?? ""
  return `Command: ${clipCharacters(first.trim(), commandCharacters)}`
}

const processEnd = (facts: ProcessFacts): string | undefined =>
  facts.exitCode !== undefined
    ? `exit code ${facts.exitCode}`
    : facts.signal !== undefined
    ? `ended by signal ${facts.signal}, so there is no exit code`
    : undefined

/** Reasons of an unknown end that mean that nobody has a status; after a stop somebody may have one that proves nothing. */
const withoutStatus: ReadonlySet<string> = new Set(["owner-gone", "status-not-collected"])

const headline = (facts: ProcessFacts): string => {
  const end = processEnd(facts)
  if (facts.outcome === "indeterminate") {
    const known = end ?? (withoutStatus.has(facts.reason?.code ?? "") ? "no exit status was collected" : undefined)
    return `Outcome unknown${known === undefined ? "" : `: ${known}`}; the command may have taken effect`
  }
  if (facts.outcome === "denied") return "Denied: the command was not run"
  if (facts.outcome === "cancelled") {
    return end === undefined && facts.durationMs === undefined
      ? "Cancelled before it started"
      : `Cancelled${end === undefined ? "" : `, ${end}`}; what it did until then is not undone`
  }
  if (facts.timedOut === true) return `Time limit reached, ${end ?? "no exit status was collected"}`
  if (facts.outcome === "failed") return end === undefined ? "Failed" : `Failed, ${end}`
  if (facts.exitCode !== undefined) return `Exit code ${facts.exitCode}`
  return end === undefined ? "No exit status was collected" : `Ended by signal ${facts.signal}, so there is no exit code`
}

/** How it ended and how long it took. */
export const statusLine = (facts: ProcessFacts): string =>
  `${headline(facts)}${facts.durationMs === undefined ? "" : ` (${durationWords(facts.durationMs)})`}.`

export const reasonLines = (facts: ProcessFacts): ReadonlyArray<string> =>
  facts.reason === undefined || facts.reason.text.trim() === ""
    ? []
    : [clipAtGrapheme(`Reason: ${oneLine(facts.reason.text)}`, sentenceBytes)]

export const warningLines = (facts: ProcessFacts): ReadonlyArray<string> =>
  facts.warnings.map((warning) => clipAtGrapheme(`Warning: ${oneLine(warning.text)}`, sentenceBytes))

/** Processes that outlived the shell, the first ones by name. */
export const survivorLines = (facts: ProcessFacts): ReadonlyArray<string> => {
  if (facts.survivors.length === 0) return []
  const named = facts.survivors.slice(0, namedSurvivors).map(({ command, pid }) =>
    `${pid} (${clipCharacters(oneLine(command), survivorCharacters)})`
  )
  const others = facts.survivors.length - named.length
  return [`Still running: ${[...named, ...(others > 0 ? [countWords(others, "other process", "other processes")] : [])].join(", ")}.`]
}
