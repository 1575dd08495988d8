/** Ports that say the plainest thing: everything fits, is allowed, has room and is shown alike. */
import type { CaptureFileFacts } from "@steno/contracts"
import { Effect, Layer } from "effect"
import { CallHandlers } from "../call-handlers.ts"
import { CallSpace } from "../call-space.ts"
import { CallSupervision } from "../call-supervision.ts"
import type { ToolFiles } from "../host-tools.ts"
import { ResultPreparation } from "../result-preparation.ts"

const nothing: CaptureFileFacts = {
  observedBytes: 0,
  storedBytes: 0,
  droppedBytes: 0,
  observedLines: 0,
  storedLines: 0
}

export const emptyFiles: ToolFiles = {
  facts: { stdout: nothing, stderr: nothing, output: nothing },
  files: [],
  outputFile: undefined,
  retained: { text: "" },
  warnings: []
}

/** There is always room. */
export const ampleSpace = Layer.succeed(CallSpace, { check: () => Effect.void })

/** Prepares a fixed projection. */
export const plainPreparation = Layer.succeed(ResultPreparation, {
  prepare: () =>
    Effect.succeed({
      agentProjection: "projected",
      cardProjection: {
        arguments: { lines: [], hidden: 0, noun: "lines", direction: "head" as const },
        result: { lines: [], hidden: 0, noun: "lines", direction: "tail" as const }
      },
      assets: []
    })
})

/** Every call fits and is allowed by policy; rules are kept nowhere. */
export const allowingSupervision = Layer.succeed(CallSupervision, {
  check: () => Effect.succeed({ kind: "fits", replaySafe: false }),
  judge: () =>
    Effect.succeed({
      supervision: { decision: "allow", by: "policy" },
      reason: "Everything is allowed.",
      segments: [],
      suggestedRules: [],
      judgedPaths: []
    }),
  judgeDirectCommand: () => Effect.succeed({ decision: "allow", by: "user" }),
  keepRules: () => Effect.void
})

/** Every call is one of a host tool. */
export const noHandlers = Layer.succeed(CallHandlers, { find: () => undefined })
