/**
 * A Run in words for a person.
 *
 * Owns: what is said about a Run and its calls, and in which order.
 * Never owns: what a projection holds (result-projection); it is printed as it was stored.
 */
import type { RunCall, RunSnapshot, RunState } from "@steno/contracts"
import { byteText, countText, durationText, lineText } from "./quantity-text.ts"
import { unreadableLine, unreadableText } from "./unreadable-text.ts"
import { firstVisibleLine, visibleLine, visibleOutput } from "./visible-text.ts"

const commandCharacters = 200
const namedSurvivors = 20

export interface TextStyle {
  readonly colour: boolean
}

const colourOfState: Record<RunState, number> = {
  running: 36,
  blocked: 33,
  halted: 33,
  failed: 31,
  succeeded: 32,
  cancelled: 33
}

const paint = (text: string, code: number, style: TextStyle): string => style.colour ? `\x1b[${code}m${text}\x1b[0m` : text

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

/** What a person would call it: a command that ended with another code than 0 has failed. */
const outcomeWord = (call: RunCall): string => {
  if (call.outcome === undefined) return call.state ?? "unfinished"
  if (call.outcome !== "completed") return call.outcome
  return call.exitCode === 0 ? "completed" : "failed"
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
    ...(call.outcome === undefined || neverBegan(call) ? [] : [didNotStart(call) ? "did not start" : howItEnded(call)]),
    ...(call.durationMs === undefined ? [] : [durationText(call.durationMs)])
  ].join(" · ")

const survivorText = (survivors: NonNullable<RunCall["survivors"]>): string => {
  const named = survivors.slice(0, namedSurvivors).map(({ command, pid }) => `${pid} (${visibleLine(command)})`)
  const others = survivors.length - named.length
  return `Left running: ${[...named, ...(others > 0 ? [countText(others, "other process", "other processes")] : [])].join(", ")}`
}

/** Why it ended as it did, and what went on or went wrong beside it: what the projection, printed whole below, does not say already. */
const callNotes = (call: RunCall): ReadonlyArray<string> => {
  const projected = visibleOutput(call.output?.projection ?? "").split("\n")
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

const callText = (call: RunCall): ReadonlyArray<string> => [
  "",
  `Call ${call.ordinal} (${visibleLine(call.tool)}): ${
    call.inputUnreadable === true ? "(its start cannot be read)" : firstVisibleLine(call.input, commandCharacters)
  }`,
  callFacts(call),
  ...callNotes(call),
  ...(call.output?.projection === undefined
    ? []
    : ["", "As a model sees it:", visibleOutput(call.output.projection).replace(/\n+$/, ""), ""]),
  ...outputFacts(call)
]

const liveness = (run: RunSnapshot): string =>
  run.liveness.state === "live-elsewhere"
    ? ` (live in process ${run.liveness.ownerPid ?? "unknown"})`
    : run.liveness.state === "live"
    ? " (live)"
    : ""

/** Nobody knows when a lost Turn ended; its Run was settled when somebody looked. */
const endIsUnknown = (run: RunSnapshot) => run.turns.some(({ result }) => result === "lost" || result === "not-started")

const elapsed = (run: RunSnapshot): string =>
  run.settledAt === undefined || endIsUnknown(run) ? "" : `, ${durationText(Math.max(0, Date.parse(run.settledAt) - Date.parse(run.launchedAt)))}`

const turnDetail = (run: RunSnapshot): ReadonlyArray<string> =>
  run.turns.flatMap((turn) =>
    turn.result === undefined || turn.result === "completed" || (run.turns.length === 1 && turn.result === "failed")
      ? []
      : [`Turn:      ${turn.result}`]
  )

const unreadableNotes = (run: RunSnapshot): ReadonlyArray<string> =>
  (run.unreadable ?? []).flatMap((facts) => {
    const line = unreadableLine(facts)
    return ["", `Unreadable: ${unreadableText(facts)} (Session ${visibleLine(facts.session)})`, ...(line === undefined ? [] : [line])]
  })

/** Ends with a newline. */
export const runText = (run: RunSnapshot, style: TextStyle): string =>
  [
    `Run ${run.runId}: ${paint(run.state, colourOfState[run.state], style)}${liveness(run)}`,
    `Harness:   ${visibleLine(run.harness.id)}`,
    `Workspace: ${visibleLine(run.workspacePath)}`,
    `Started:   ${run.launchedAt}${elapsed(run)}`,
    ...turnDetail(run),
    ...run.pending.map((pending) => `Waiting for you: ${pending.kind}: ${visibleLine(pending.reason)}`),
    ...run.calls.flatMap(callText),
    ...unreadableNotes(run),
    ""
  ].join("\n")
