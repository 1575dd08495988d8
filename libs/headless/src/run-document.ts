/** The JSON documents that carry a Run or the Problem in its place. */
import type { Problem, RunDocument, RunSnapshot } from "@steno/contracts"

export const foundRun = (run: RunSnapshot): RunDocument => ({ family: "run", runId: run.runId, result: { found: true, run } })

/** `runId` as the person typed it. */
export const missingRun = (runId: string, problem: Problem): RunDocument => ({
  family: "run",
  runId,
  result: { found: false, problem }
})
