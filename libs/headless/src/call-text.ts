/**
 * One call of a Run in words for a person.
 *
 * Owns: how an end is worded: one that nobody knows is never worded as failed.
 * Never owns: what a projection holds (result-projection); it is printed as it was stored.
 */
import type { RunCall } from "@steno/contracts"
import { byteText, countText, durationText, lineText } from "./quantity-text.ts"
import { firstVisibleLine, visibleLine, visibleOutput } from "./visible-text.ts"

const commandCharacters = 200
const namedSurvivors = 20

const howItEnded = (call: RunCall): string => {
  const cause = call.exitCode !== undefined
    ? `exit code ${call.exitCode}`
    : call.signal !== undefined
    ? `ended by ${visibleLine(call.signal)}`
    : call.reason?.code === "stop-not-confirmed"
    ? "its end is not confirmed"
    : "no exit status was collected"
  return call.timedOut === true ? `time limit reached, ${cause}` : cause
}

/** Whether its end is that of a process. A tool that works inside Steno has no exit status to miss. */
const hasProcess = (call: RunCall): boolean =>
  call.tool === "bash" || call.exitCode !== undefined || call.signal !== undefined || call.timedOut === true

/** What a person would call it: a command that ended with another code than 0 has failed. */
const outcomeWord = (call: RunCall): string => {
  if (call.outcome === undefined) return call.state ?? "unfinished"
  if (call.outcome !== "completed" || !hasProcess(call)) return call.outcome
  return call.exitCode === 0 ? "completed" : "failed"
}

const endFacts = (call: RunCall): ReadonlyArray<string> => {
  if (call.outcome === undefined || neverBegan(call) || !hasProcess(call)) return []
  return [didNotStart(call) ? "did not start" : howItEnded(call)]
}

const neverBegan = (call: RunCall) => call.outcome === "denied" || (call.outcome === "cancelled" && call.durationMs === undefined)

/** A call that could not start failed without any fact of a process. */
const didNotStart = (call: RunCall) =>
  call.outcome === "failed" && call.durationMs === undefined && call.exitCode === undefined && call.signal === undefined &&
  call.timedOut === undefined

/** `failed · exit code 3 · 14 ms`. */
export const callFacts = (call: RunCall): string =>
  [
    outcomeWord(call),
    ...endFacts(call),
    ...(call.durationMs === undefined ? [] : [durationText(call.durationMs)])
  ].join(" · ")

const survivorText = (survivors: NonNullable<RunCall["survivors"]>): string => {
  const named = survivors.slice(0, namedSurvivors).map(({ command, pid }) => `${pid} (${visibleLine(command)})`)
  const others = survivors.length - named.length
  return `Left running: ${[...named, ...(others > 0 ? [countText(others, "other process", "other processes")] : [])].join(", ")}`
}

/** Why it ended as it did, and what went on or went wrong beside it: what a projection printed whole below does not say already. */
const callNotes = (call: RunCall, projection: string): ReadonlyArray<string> => {
  const projected = projection.split("\n")
  const survivors = call.survivors ?? []
  const survivorsAreSaid = projected.some((line) =>
    line.startsWith("Still running: ") && survivors.every(({ pid }) => line.includes(` ${pid} (`))
  )
  return [
    ...(call.reason === undefined ? [] : [`Reason: ${visibleLine(call.reason.text)}`]),
    ...(call.warnings ?? []).map((warning) => `Warning: ${visibleLine(warning.text)}`),
    ...(survivors.length === 0 || survivorsAreSaid ? [] : [survivorText(survivors)])
  ].filter((note) => !projected.includes(note))
}

const outputFacts = (call: RunCall): ReadonlyArray<string> => {
  const output = call.output
  if (output === undefined) return []
  const totals = `${lineText(output.lines)}, ${byteText(output.bytes)}`
  return [
    output.bytes === 0 ? "Output: none" : `Output: ${totals}`,
    ...(output.droppedBytes === undefined || output.droppedBytes === 0
      ? []
      : [`Not captured: ${byteText(output.droppedBytes)}`]),
    ...(output.path === undefined ? [] : [`Complete output: ${visibleLine(output.path)}`])
  ]
}

const projectionLines = (projection: string): ReadonlyArray<string> =>
  projection === "" ? [] : ["", "As a model sees it:", projection.replace(/\n+$/, ""), ""]

/** Lines of one call, after a blank one. */
export const callText = (call: RunCall, options: { readonly withProjection: boolean }): ReadonlyArray<string> => {
  const projection = options.withProjection ? visibleOutput(call.output?.projection ?? "") : ""
  return [
    "",
    `Call ${call.ordinal} (${visibleLine(call.tool)}): ${
      call.inputUnreadable === true ? "(its start cannot be read)" : firstVisibleLine(call.input, commandCharacters)
    }`,
    callFacts(call),
    ...callNotes(call, projection),
    ...projectionLines(projection),
    ...outputFacts(call)
  ]
}
