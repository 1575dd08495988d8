/** Size and end of a process's output on its card; lines and bytes not captured count. */
import type { CardProjection } from "@steno/contracts"
import type { DecisionRecord, ProcessFacts } from "./result-policy.ts"

export const outputStats = (
  { totalBytes, totalLines }: DecisionRecord,
  { capture, durationMs, exitCode, signal }: ProcessFacts
): NonNullable<CardProjection["stats"]> => ({
  lines: Math.max(totalLines, capture.output.observedLines),
  bytes: Math.max(totalBytes, capture.output.observedBytes),
  ...(exitCode === undefined ? {} : { exitCode }),
  ...(signal === undefined ? {} : { signal }),
  ...(durationMs === undefined ? {} : { durationMs })
})
