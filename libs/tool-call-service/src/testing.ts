/** Builders for tests: files of a tool that printed nothing, and host tools whose end the test decides. */
import type { CaptureFileFacts, Quiet } from "@steno/contracts"
import { Deferred, Effect, Layer, Queue, Stream } from "effect"
import { CallSpace } from "./call-space.ts"
import { CallHandlers } from "./call-handlers.ts"
import { CallSupervision } from "./call-supervision.ts"
import { HostTools, type ProcessEnd, type RunningTool, type ToolEnd, type ToolFiles } from "./host-tools.ts"
import { ResultPreparation } from "./result-preparation.ts"

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

/** Exit 0 after 5 ms without output. */
const quietEnd: ProcessEnd = {
  kind: "process",
  exit: { kind: "exited", code: 0 },
  timedOut: false,
  stopped: undefined,
  survivors: [],
  durationMs: 5,
  captured: emptyFiles
}

/** A tool that runs until the test ends it. */
export interface ControlledTool {
  /** Resolves when the tool was started, with the id of its call. */
  readonly started: Effect.Effect<string>
  readonly end: (parts: Partial<ProcessEnd>) => Effect.Effect<void>
  /** Tells a silence. */
  readonly fallQuiet: (quiet: Quiet) => Effect.Effect<void>
  /** `grace` of every stop that was asked for. */
  readonly stops: ReadonlyArray<boolean>
}

/** @param options.answersStop what a stop leads to; absent: the tool never answers a stop */
export const makeControlledTool = Effect.fnUntraced(function*(
  options: {
    readonly process?: RunningTool["process"]
    readonly answersStop?: "confirmed" | "unconfirmed"
    readonly endedByItself?: boolean
    readonly storedBytes?: number
  } = {}
) {
  const started = yield* Deferred.make<string>()
  const ended = yield* Deferred.make<ToolEnd>()
  const quiets = yield* Queue.unbounded<Quiet>()
  const stops: Array<boolean> = []
  const end = (parts: Partial<ProcessEnd>) => Effect.asVoid(Deferred.succeed(ended, { ...quietEnd, ...parts }))
  const layer = Layer.succeed(HostTools, {
    enter: (call) =>
      Effect.succeed({
        start: () =>
          Effect.as(Deferred.succeed(started, call.callId), {
            process: options.process,
            quiet: Stream.fromQueue(quiets),
            endedByItself: () => options.endedByItself === true,
            storedBytes: () => options.storedBytes ?? 0,
            ended: Deferred.await(ended),
            stop: ({ grace }) => {
              stops.push(grace)
              return options.answersStop === undefined
                ? Effect.void
                : end({ exit: { kind: "signalled", signal: grace ? "SIGTERM" : "SIGKILL" }, stopped: options.answersStop })
            }
          })
      }),
    recover: () => Effect.succeed({ captured: emptyFiles, ended: [], left: [] })
  })
  const tool: ControlledTool = {
    started: Deferred.await(started),
    end,
    fallQuiet: (quiet) => Effect.asVoid(Queue.offer(quiets, quiet)),
    stops
  }
  return { tool, layer }
})

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
