/**
 * A whole Run as one Markdown document.
 *
 * Owns: what stands in it and in which order: facts, then each Session's transcript and calls.
 * Never owns: how foreign text is put into Markdown (markdown-text), the exact values (the JSON form).
 */
import type { RunCall, RunExport, RunSnapshot, TranscriptEntry, UnreadablePlace } from "@steno/contracts"
import { codeSpan, fenced, fileLink, quoted } from "./markdown-text.ts"
import { byteText, lineText } from "./quantity-text.ts"
import { callFacts } from "./call-text.ts"
import { mapContents, roleText } from "./transcript-text.ts"
import { unreadableLines, unreadableText } from "./unreadable-text.ts"
import { visibleEscapes, visibleOutput } from "./visible-text.ts"

type Lines = ReadonlyArray<string>

const optional = <A>(value: A | undefined, lines: (value: A) => Lines): Lines => value === undefined ? [] : lines(value)

const runFacts = (run: RunSnapshot): Lines => [
  `- State: ${run.state}`,
  `- Harness: ${codeSpan(run.harness.id)}`,
  ...optional(run.effectiveModel ?? run.requestedModel, (model) => [`- Model: ${codeSpan(model)}`]),
  `- Workspace: ${codeSpan(run.workspacePath)}`,
  `- Started: ${run.launchedAt}`,
  ...optional(run.settledAt, (at) => [`- Settled: ${at}`]),
  ...run.pending.map(({ kind, reason }) => `- Waiting for you: ${kind}: ${codeSpan(reason)}`)
]

const turnText = (run: RunSnapshot, turnId: string | undefined): string => {
  const ordinal = run.turns.findIndex((turn) => turn.turnId === turnId) + 1
  return ordinal === 0 ? "" : ` (Turn ${ordinal})`
}

/** An input is kept to the letter; an answer is Markdown mostly, and stays readable as such. */
const contentLines = ({ content, role }: TranscriptEntry): Lines => {
  if (content === "") return []
  return ["", ...(role === "user" ? fenced(visibleEscapes(content), "text") : quoted(content))]
}

const entryLines = (run: RunSnapshot) => (entry: TranscriptEntry): Lines => [
  "",
  `#### ${roleText(entry)}${turnText(run, entry.turn)}`,
  ...contentLines(entry)
]

const unreadablePlaceLines = (place: UnreadablePlace): Lines => {
  const text = unreadableLines(place)
  return ["", `#### ${codeSpan(unreadableText(place))}`, ...(text.length === 0 ? [] : ["", ...fenced(text.join("\n"), "text")])]
}

const outputLines = (output: NonNullable<RunCall["output"]>): Lines => {
  const facts = [
    output.bytes === 0 ? "Output: none" : `Output: ${lineText(output.lines)}, ${byteText(output.bytes)}`,
    ...(output.droppedBytes === undefined || output.droppedBytes === 0 ? [] : [`${byteText(output.droppedBytes)} not captured`]),
    ...optional(output.path, (path) => [fileLink(path)])
  ]
  return [
    ...optional(output.projection, (projection) => [
      "",
      "As a model sees it:",
      "",
      ...fenced(visibleOutput(projection), "text")
    ]),
    "",
    facts.join(" · ")
  ]
}

const callNotes = (call: RunCall): Lines => {
  const notes = [
    ...optional(call.reason, ({ text }) => [`- Reason: ${codeSpan(text)}`]),
    ...(call.warnings ?? []).map(({ text }) => `- Warning: ${codeSpan(text)}`),
    ...(call.survivors ?? []).map(({ command, pid }) => `- Left running: ${pid} ${codeSpan(command)}`)
  ]
  return notes.length === 0 ? [] : ["", ...notes]
}

const callLines = (run: RunSnapshot) => (call: RunCall): Lines => [
  "",
  `#### Call ${call.ordinal}: ${codeSpan(call.tool)}${turnText(run, call.turnId)}`,
  "",
  ...(call.inputUnreadable === true
    ? ["Its start cannot be read."]
    : fenced(visibleEscapes(call.input), call.tool === "bash" ? "sh" : "text")),
  "",
  callFacts(call),
  ...callNotes(call),
  ...optional(call.output, outputLines)
]

const sessionLines = (run: RunSnapshot) => (exported: RunExport["sessions"][number]): Lines => {
  const { session } = exported
  const contents = mapContents(exported, entryLines(run), unreadablePlaceLines).flat()
  const calls = run.calls.filter((call) => call.session === session)
  return [
    "",
    `## Session ${codeSpan(session)}`,
    "",
    "### Transcript",
    ...(contents.length === 0 ? ["", "(no entries)"] : contents),
    ...(calls.length === 0 ? [] : ["", "### Calls", ...calls.flatMap(callLines(run))])
  ]
}

/** Ends with a newline. */
export const exportMarkdown = ({ run, sessions }: RunExport): string =>
  [`# Run ${run.runId}`, "", ...runFacts(run), ...sessions.flatMap(sessionLines(run)), ""].join("\n")
