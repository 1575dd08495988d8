/**
 * Projects a call from what its settlement stores, so that a stored projection can be made again.
 *
 * Owns: the facts a projection words.
 * Limits: pure.
 */
import type { Asset, CaptureFacts, CaptureFileFacts, PolicyRule, ToolCallResponse } from "@steno/contracts"
import { type CommandFacts, type Denial, isOutputTool, type OutputReading, outputTools, projectCommand, type Projection } from "@steno/result-projection"

/** How a call ended. */
export type CallEnd = Pick<
  ToolCallResponse,
  | "tool"
  | "origin"
  | "outcome"
  | "reason"
  | "exitCode"
  | "signal"
  | "timedOut"
  | "durationMs"
  | "survivors"
  | "warnings"
  | "supervision"
  | "interactions"
>

const conditions = ["tool", "risk", "path", "command", "host"] as const

/** A rule in one line, as in `deny command "rm *"`. */
const ruleText = (rule: PolicyRule): string =>
  [rule.effect, ...conditions.flatMap((key) => rule[key] === undefined ? [] : [`${key} ${JSON.stringify(rule[key])}`])].join(" ")

/** Who refused a call, as its record has it; undefined for a call that nobody refused. */
export const denialOf = ({ interactions, outcome, supervision }: Pick<CallEnd, "interactions" | "outcome" | "supervision">): Denial | undefined => {
  if (outcome !== "denied") return undefined
  const by = interactions?.at(-1)?.resolution?.by
  if (by !== undefined) return { by }
  if (supervision === undefined) return undefined
  const { layer, rule, segment } = supervision
  return {
    by: supervision.by === "user" ? "person" : supervision.by === "client-policy" ? "client-policy" : layer === "guardrails" ? "guardrail" : "policy",
    ...(rule === undefined ? {} : { rule: ruleText(rule) }),
    ...(segment === undefined ? {} : { segment })
  }
}

/** Stands for the command of a call whose start cannot be read any more. */
const unreadableCommand = "(cannot be read any more)"

export interface CallSurroundings {
  /** Absent where the event that holds it cannot be read. */
  readonly command: string | undefined
  /** Absent: nothing of it was captured. */
  readonly capture: CaptureFacts | undefined
  /** Its captured files. */
  readonly assets: ReadonlyArray<Pick<Asset, "stream" | "path">>
  /** Absolute path of the home. */
  readonly home: string
}

const noBytes: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }
const nothingCaptured: CaptureFacts = { stdout: noBytes, stderr: noBytes, output: noBytes }

/** Whoever ends a call before its tool starts has no fact of a process. */
const neverBegan = ({ durationMs, exitCode, outcome, signal }: CallEnd): boolean =>
  (outcome === "cancelled" || outcome === "denied") && durationMs === undefined && exitCode === undefined && signal === undefined

const factsOf = (end: CallEnd, { assets, capture, command, home }: CallSurroundings): CommandFacts => {
  const pathOf = (stream: NonNullable<Asset["stream"]>) => {
    const file = assets.find((asset) => asset.stream === stream)
    return file === undefined ? {} : { [stream]: `${home}/${file.path}` }
  }
  const denial = denialOf(end)
  return {
    ...end,
    ...(denial === undefined ? {} : { denial }),
    command: command ?? unreadableCommand,
    origin: end.origin === "observed" ? "client" : end.origin,
    ...(neverBegan(end) ? { begun: false } : {}),
    capture: capture ?? nothingCaptured,
    files: { ...pathOf("output"), ...pathOf("stdout"), ...pathOf("stderr") }
  }
}

/** What a model and a card see of a call. */
export const projectCall = (reading: OutputReading, end: CallEnd, around: CallSurroundings): Projection => {
  const project = isOutputTool(end.tool) ? outputTools[end.tool] : projectCommand
  return project(reading, factsOf(end, around))
}
