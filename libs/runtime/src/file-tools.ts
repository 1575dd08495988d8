/**
 * Runs the file tools of tool-catalog as tools of this process.
 *
 * Owns: their way from a start to one end, and which of them still run; these are ended with the layer.
 * Ordering: a stop is heard while nothing is changed; a tool that has changed its file ends with its result.
 */
import type { CallReason } from "@steno/contracts"
import type { RunningTool, ToolEnd } from "@steno/tool-call-service"
import { CatalogTools, type CheckedCall, type FileTool, type FileToolResult, type ToolFault, type ToolSite } from "@steno/tool-catalog"
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Stream } from "effect"

const unforeseen: CallReason = {
  code: "tool-failed",
  text: "The tool broke off in a way that was not foreseen; what it had done by then is not known."
}

const endOf = Effect.fnUntraced(function*(exit: Exit.Exit<FileToolResult, ToolFault>, startedMs: number): Effect.fn.Return<ToolEnd> {
  const durationMs = (yield* Clock.currentTimeMillis) - startedMs
  if (Exit.isSuccess(exit)) return { kind: "result", value: exit.value, durationMs }
  if (Cause.hasInterruptsOnly(exit.cause)) return { kind: "aborted", durationMs }
  const fault = Cause.findErrorOption(exit.cause)
  if (fault._tag === "Some") return { kind: "fault", reason: { code: fault.value.code, text: fault.value.message }, durationMs }
  yield* Effect.logError("A file tool broke off", exit.cause)
  return { kind: "fault", reason: unforeseen, durationMs }
})

export const makeFileTools = Effect.gen(function*() {
  const tools = yield* CatalogTools
  const scope = yield* Effect.scope

  const start = Effect.fnUntraced(function*(call: CheckedCall<FileTool>, site: ToolSite): Effect.fn.Return<RunningTool> {
    const ended = Deferred.makeUnsafe<ToolEnd>()
    const startedMs = yield* Clock.currentTimeMillis
    const running = yield* tools.run(call, site).pipe(
      Effect.exit,
      Effect.flatMap((exit) => endOf(exit, startedMs)),
      Effect.flatMap((end) => Deferred.succeed(ended, end)),
      Effect.uninterruptible,
      Effect.forkIn(scope, { startImmediately: true })
    )
    let isStopped = false
    return {
      process: undefined,
      quiet: Stream.empty,
      ended: Deferred.await(ended),
      stop: () =>
        Effect.suspend(() => {
          isStopped ||= !Deferred.isDoneUnsafe(ended)
          return Effect.asVoid(Effect.forkDetach(Fiber.interrupt(running), { startImmediately: true }))
        }),
      endedByItself: () => !isStopped && Deferred.isDoneUnsafe(ended),
      storedBytes: () => 0,
      output: () => ({ text: "" })
    }
  })

  return { start, clear: tools.clear }
})
