/**
 * What the end of a native Turn, or of the connection, means as the result of a Turn.
 *
 * Owns: availability and failure of each. Pure.
 * Never owns: what an interrupt proves beyond the native end (codex-drive).
 */
import { turnFailure, type TurnResult } from "@steno/harness-seam"
import { type ConnectionEnd, endFailure, endWords } from "./codex-connection.ts"
import type { NativeEnd } from "./codex-turn.ts"

const known = (model: string | undefined) => (model === undefined ? {} : { model })

export const failedResult = (reason: "native" | "protocol", text: string, model: string | undefined): TurnResult => ({
  kind: "failed",
  failure: turnFailure(reason, text),
  availability: "open",
  ...known(model)
})

interface EndedIn {
  readonly interruptAsked: boolean
  /** Whether the program takes the next Turn. */
  readonly availability: "open" | "detached"
}

export const endedResult = (end: NativeEnd, { availability, interruptAsked }: EndedIn, model: string | undefined): TurnResult => {
  switch (end.kind) {
    case "completed":
      return { kind: "completed", availability, ...known(model) }
    case "failed":
      return { kind: "failed", failure: turnFailure(end.reason, end.text), availability, ...known(model) }
    case "interrupted":
      return interruptAsked
        ? { kind: "interrupted", confirmedBy: "active-turn", availability }
        : failedResult("native", "Codex broke the Turn off, and nobody asked for it", model)
  }
}

/** The program is gone, silent, or not to be understood. @param unknown what nobody can say then */
export const brokenResult = (end: ConnectionEnd, unknown: "acceptance" | "completion", model: string | undefined): TurnResult => {
  const failure = endFailure(end)
  return end.kind === "fault"
    ? { kind: "failed", failure, availability: "detached", ...known(model) }
    : { kind: "lost", unknown, lastObservation: endWords(end), availability: "detached", failure }
}
