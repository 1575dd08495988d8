/**
 * What is projected of a call, from what its settlement stores; so that a stored projection can be made again.
 *
 * Owns: the facts a projection words.
 * Limits: pure.
 */
import type { Asset, CaptureFacts, ToolCallResponse } from "@steno/contracts"
import type { ProcessFacts } from "@steno/result-projection"

/** How a call ended. */
export type CallEnd = Pick<
  ToolCallResponse,
  "tool" | "origin" | "outcome" | "reason" | "exitCode" | "signal" | "timedOut" | "durationMs" | "survivors" | "warnings"
>

export interface CallSurroundings {
  readonly command: string
  readonly capture: CaptureFacts
  /** Its captured files. */
  readonly assets: ReadonlyArray<Pick<Asset, "stream" | "path">>
  /** Absolute path of the home. */
  readonly home: string
}

export const processFactsOf = (end: CallEnd, { assets, capture, command, home }: CallSurroundings): ProcessFacts => {
  const pathOf = (stream: NonNullable<Asset["stream"]>) => {
    const file = assets.find((asset) => asset.stream === stream)
    return file === undefined ? {} : { [stream]: `${home}/${file.path}` }
  }
  return {
    ...end,
    command,
    origin: end.origin === "observed" ? "client" : end.origin,
    capture,
    files: { ...pathOf("output"), ...pathOf("stdout"), ...pathOf("stderr") }
  }
}
