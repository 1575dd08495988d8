/**
 * Runs captured commands in a process of their own, for tests that kill the owner or take its disk away.
 *
 * Owns: the script the other process runs and how its answer is read.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const source = (path: string): string => JSON.stringify(fileURLToPath(import.meta.resolve(path)))

/** Starts `command` in `directory`; prints the end as JSON. */
const script = `
import { Effect, Layer } from "effect"
import { ProcessHost } from "@steno/process-host"
import { CapturedCommands } from ${source("../src/captured-commands.ts")}
const [command, directory, marker] = process.argv.slice(1)
const layer = CapturedCommands.layerNoDeps.pipe(Layer.provideMerge(ProcessHost.layer))
Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const commands = yield* CapturedCommands
  const started = yield* commands.start({
    command, directory, cwd: "/", environment: process.env, marker: { name: "STENO_CALL_ID", value: marker }
  })
  console.log(JSON.stringify(started.identity ?? null))
  console.log(JSON.stringify(yield* started.ended))
}).pipe(Effect.provide(layer))))
`

export interface OwnerCommand {
  readonly command: string
  readonly directory: string
  readonly marker: string
  /** Program and arguments the owner runs under. */
  readonly under?: ReadonlyArray<string>
}

export const spawnOwner = ({ command, directory, marker, under = [] }: OwnerCommand) => {
  const argv = [...under, process.execPath, "--input-type=module", "-e", script, "--", command, directory, marker]
  return spawn(argv[0] as string, argv.slice(1), {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"]
  })
}

/** What the owner printed: the command's identity, then its end. */
export const answerOf = (owner: ReturnType<typeof spawnOwner>): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    owner.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    owner.once("close", () => resolve(Buffer.concat(chunks).toString().trim().split("\n")))
  })
