/**
 * A case as a model sees it.
 *
 * Owns: the facts of a call around a recorded output.
 * Limits: duration and path are always the same, so that the same library gives the same text everywhere.
 */
import { type DecisionRecord, processDiagnostics, type ProcessFacts } from "@steno/result-projection"
import type { LabelledCase } from "./labelled-case.ts"

const blockBytes = 65_536
const outputPath = "/home/me/.local/share/steno/data/conversations/conv_01M8PD4TPKP99VEHA3N3QEJSZ2/" +
  "tool-calls/call_01M8PD4TPVMT9C399HYHS45CYC/output.txt"

const factsOf = ({ bytes, command, exitCode, lines, signal }: LabelledCase): ProcessFacts => {
  const captured = { observedBytes: bytes, storedBytes: bytes, droppedBytes: 0, observedLines: lines, storedLines: lines }
  const nothing = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }
  return {
    tool: "bash",
    command,
    origin: "model",
    outcome: "completed",
    ...(exitCode === null ? {} : { exitCode }),
    ...(signal === null ? {} : { signal }),
    durationMs: 12_345,
    capture: { stdout: captured, stderr: nothing, output: captured },
    survivors: [],
    warnings: [],
    files: { output: outputPath }
  }
}

/** The output's own lines in a shortened text. */
export interface Payload {
  readonly lines: number
  /** With a newline after each. */
  readonly bytes: number
}

export interface ProjectedCase {
  readonly text: string
  /** Undefined where the output is shown as a whole. */
  readonly payload: Payload | undefined
}

const isNumbered = (text: string, line: number): boolean => {
  const number = String(line)
  return text.startsWith(number) && !/^\d/.test(text.slice(number.length))
}

/**
 * Finds the lines that the decision names in the text itself, in their order.
 * Throws where one of them is not there.
 */
export const payloadOf = (text: string, { kept }: Pick<DecisionRecord, "kept">): Payload => {
  const lines = text.split("\n")
  let at = 0
  let bytes = 0
  for (const { line } of kept) {
    while (at < lines.length && !isNumbered(lines[at] ?? "", line)) at++
    const found = lines[at++]
    if (found === undefined) throw new Error(`Line ${line} was decided to be shown but is not:\n${text}`)
    bytes += Buffer.byteLength(found) + 1
  }
  return { lines: kept.length, bytes }
}

export const projectCase = (labelled: LabelledCase): ProjectedCase => {
  const projector = processDiagnostics.begin()
  for (let at = 0; at < labelled.output.length; at += blockBytes) projector.push(labelled.output.subarray(at, at + blockBytes))
  const { agent, decision } = projector.finish(factsOf(labelled))
  return { text: agent, payload: decision.fits ? undefined : payloadOf(agent, decision) }
}
