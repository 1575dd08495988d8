/**
 * The process's streams as the command line's output and input.
 *
 * Limits: every byte is handed to the system before the write resolves; a reader that went away makes later writes no-ops.
 */
import { HeadlessInput, HeadlessOutput } from "@steno/headless"
import { Effect, Layer } from "effect"
import { text } from "node:stream/consumers"

/** Resolves when written; a closed pipe (EPIPE) counts as written. Other faults are the system's and end the program. */
const writeAll = (stream: NodeJS.WriteStream, data: string | Uint8Array) =>
  Effect.callback<void>((resume) => {
    if (data.length === 0 || stream.writableEnded || stream.destroyed) return resume(Effect.void)
    stream.write(data, () => resume(Effect.void))
  })

const ignoreClosedPipe = (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1
}

const wantsColour = (variables: NodeJS.ProcessEnv, isTerminal: boolean): boolean => {
  if (variables["NO_COLOR"] !== undefined && variables["NO_COLOR"] !== "") return false
  const forced = variables["FORCE_COLOR"]
  return forced === undefined ? isTerminal : forced !== "0" && forced !== "false"
}

export const processOutputLayer = Layer.sync(HeadlessOutput, () => {
  process.stdout.on("error", ignoreClosedPipe)
  process.stderr.on("error", ignoreClosedPipe)
  return HeadlessOutput.of({
    stdout: (data) => writeAll(process.stdout, data),
    stderr: (data) => writeAll(process.stderr, data),
    terminal: {
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true,
      columns: process.stderr.columns ?? 80
    },
    colour: wantsColour(process.env, process.stdout.isTTY === true)
  })
})

export const processInputLayer = Layer.sync(HeadlessInput, () =>
  HeadlessInput.of({
    cwd: process.cwd(),
    readStdin: Effect.promise(() => text(process.stdin))
  }))
