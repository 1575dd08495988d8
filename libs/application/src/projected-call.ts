/**
 * Projects a call from what its settlement stores, so that a stored projection can be made again.
 *
 * Owns: the facts a projection words.
 * Limits: pure.
 */
import type { Asset, CaptureFacts, CaptureFileFacts, ToolCallResponse } from "@steno/contracts"
import { type CommandFacts, isOutputTool, type OutputReading, outputTools, projectCommand, type Projection } from "@steno/result-projection"

/** How a call ended. */
export type CallEnd = Pick<
  ToolCallResponse,
  "tool" | "origin" | "outcome" | "reason" | "exitCode" | "signal" | "timedOut" | "durationMs" | "survivors" | "warnings"
>

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
  return {
    ...end,
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
