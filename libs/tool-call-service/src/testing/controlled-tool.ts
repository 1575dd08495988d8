/** A host tool that is a process, and whose end the test decides. */
import type { Quiet } from "@steno/contracts"
import { Deferred, Effect, Layer, Queue, Stream } from "effect"
import { HostTools, type ProcessEnd, type RunningTool, type ToolEnd } from "../host-tools.ts"
import { emptyFiles } from "./plain-ports.ts"

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
            output: () => ({ text: "" }),
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
