/**
 * Runs ripgrep for the file tools through process-host.
 *
 * Owns: that a search is marked and ended as any command of its call, and that nothing of it outlives the call.
 * Limits: read-only, so it is ended without grace; a search that waits for its place among the running processes cannot be
 * interrupted until it has it.
 */
import { AssetStore } from "@steno/asset-store"
import { ProcessHost, type RunningCommand } from "@steno/process-host"
import { type SearchCommand, type SearchEnd, SearchNotRun, SearchProcess } from "@steno/tool-catalog"
import { Deferred, Effect, Layer } from "effect"
import { PersonEnvironment, withoutProviderKeys } from "./person-environment.ts"

const keptErrorBytes = 65_536

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The shell becomes the program, which so is the process that is identified and signalled. */
const shellText = ({ arguments: words, program }: SearchCommand): string => `exec ${[program, ...words].map(quoted).join(" ")}`

type Take = (block: Uint8Array) => boolean

/** Feeds `take` until it has enough or the output ends; resolves when the program is gone. */
const takeOutput = Effect.fnUntraced(function*(command: RunningCommand, take: Take): Effect.fn.Return<SearchEnd> {
  const enough = Deferred.makeUnsafe<void>()
  const errors: Array<Uint8Array> = []
  let errorBytes = 0
  let isWanted = true
  const drained = Effect.callback<void>((resume) => {
    const open = new Set([command.stdout, command.stderr])
    const leave = (stream: RunningCommand["stdout"]) => {
      open.delete(stream)
      if (open.size === 0) resume(Effect.void)
    }
    for (const stream of [...open]) {
      for (const end of ["end", "error", "close"] as const) stream.once(end, () => leave(stream))
    }
    command.stderr.on("data", (block: Uint8Array) => {
      if (errorBytes < keptErrorBytes) errors.push(block)
      errorBytes += block.length
    })
    command.stdout.on("data", (block: Uint8Array) => {
      if (!isWanted || take(block)) return
      isWanted = false
      Deferred.doneUnsafe(enough, Effect.void)
    })
  })
  yield* Effect.raceFirst(drained, Effect.andThen(Deferred.await(enough), command.terminate({ grace: false })))
  const exit = yield* command.exited
  return { exitCode: exit.kind === "exited" ? exit.code : undefined, stderr: Buffer.concat(errors).toString() }
})

const end = (command: RunningCommand): Effect.Effect<void> =>
  Effect.andThen(command.hasExited() ? Effect.void : command.terminate({ grace: false }), command.release)

/** Needs the environment that commands inherit. */
export const searchProcessLayer = Layer.effect(
  SearchProcess,
  Effect.gen(function*() {
    const assets = yield* AssetStore
    const host = yield* ProcessHost
    const environment = withoutProviderKeys(yield* PersonEnvironment)
    return SearchProcess.of({
      run: Effect.fn("SearchProcess.run")(function*(search, take) {
        const { callId, conversationId, cwd } = search
        const directory = yield* assets.makeFolder({ kind: "call", conversationId, callId })
        const spec = { command: shellText(search), cwd, directory, environment, marker: { name: "STENO_CALL_ID", value: callId } } as const
        return yield* Effect.acquireUseRelease(host.start(spec), (command) => takeOutput(command, take), end)
      }, Effect.mapError(({ message }) => new SearchNotRun({ explanation: message })))
    })
  })
)
