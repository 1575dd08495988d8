/**
 * A Run in words for a person.
 *
 * Owns: what is said about a Run, and in which order: facts, what was said and called, what cannot be read, what it asks.
 * Never owns: the words of one call (call-text), of a transcript (transcript-text), of what is asked (pending-text).
 */
import type { RunSnapshot, RunState, TranscriptPage } from "@steno/contracts"
import { callText } from "./call-text.ts"
import { pendingLines } from "./pending-text.ts"
import { durationText } from "./quantity-text.ts"
import { hasConversation, storyOf } from "./run-story.ts"
import { shellLine } from "./shell-words.ts"
import { entryText } from "./transcript-text.ts"
import { unreadableLine, unreadableText } from "./unreadable-text.ts"
import { visibleLine } from "./visible-text.ts"

export interface TextStyle {
  readonly colour: boolean
  /** The words that a further command for the same home begins with. */
  readonly program: ReadonlyArray<string>
  /** Pages of its Sessions; absent or without a Session's: what was said there is not told. */
  readonly conversation?: ReadonlyArray<TranscriptPage>
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

/** Only of the last Turn: how earlier ones ended is past. A failed command says why at its call. */
const turnDetail = (run: RunSnapshot): ReadonlyArray<string> => {
  const last = run.turns.at(-1)
  if (last?.result === undefined || last.result === "completed") return []
  const why = last.detail === undefined || !hasConversation(run) ? "" : `: ${visibleLine(last.detail)}`
  return last.result === "failed" && why === "" ? [] : [`Turn:      ${last.result}${why}`]
}

const modelLines = ({ effectiveModel, requestedModel }: RunSnapshot): ReadonlyArray<string> => {
  const model = effectiveModel ?? requestedModel
  if (model === undefined) return []
  const asked = requestedModel === undefined || requestedModel === model ? "" : ` (asked for: ${visibleLine(requestedModel)})`
  return [`Model:     ${visibleLine(model)}${asked}`]
}

/** What older pages hold is said where it would stand. */
const olderNotes = (run: RunSnapshot, pages: ReadonlyArray<TranscriptPage>, program: ReadonlyArray<string>): ReadonlyArray<string> =>
  pages.every(({ older }) => older === undefined)
    ? []
    : ["", `(what was said before: ${shellLine([...program, "run", "read", run.runId, "--transcript"])})`]

const storyLines = (run: RunSnapshot, { conversation = [], program }: TextStyle): ReadonlyArray<string> => [
  ...olderNotes(run, conversation, program),
  ...storyOf(run, conversation).flatMap((part) =>
    part.kind === "call"
      ? callText(part.call, { withProjection: !hasConversation(run) })
      : ["", ...entryText(part.entry, run.sessions.length > 1)]
  )
]

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
    ...modelLines(run),
    `Workspace: ${visibleLine(run.workspacePath)}`,
    `Started:   ${run.launchedAt}${elapsed(run)}`,
    ...turnDetail(run),
    ...storyLines(run, style),
    ...unreadableNotes(run),
    ...pendingLines(run, style.program),
    ""
  ].join("\n")
