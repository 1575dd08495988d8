/**
 * The process's streams as the command line's output and input.
 *
 * Owns: what a fault of a stream means: a reader that went away makes later writes no-ops, any other fault on stdout is kept.
 * Limits: every byte is handed to the system before a write resolves.
 */
import { HeadlessOutput } from "@steno/headless"
import { Effect } from "effect"
import { fstatSync, write } from "node:fs"
import { isatty } from "node:tty"

const wantsColour = (variables: NodeJS.ProcessEnv, isTerminal: boolean): boolean => {
  if (variables["NO_COLOR"] !== undefined && variables["NO_COLOR"] !== "") return false
  const forced = variables["FORCE_COLOR"]
  return forced === undefined ? isTerminal : forced !== "0" && forced !== "false"
}

/** Node hands a pipe, a socket or a terminal everything; of a write to a file it does not look at how much was taken. */
const takesEverything = (descriptor: number): boolean => {
  const stat = fstatSync(descriptor)
  return stat.isFIFO() || stat.isSocket() || isatty(descriptor)
}

type Written = (fault: NodeJS.ErrnoException | null | undefined) => void

const writeToFile = (descriptor: number, data: Uint8Array, written: Written): void => {
  const next = (offset: number): void => {
    if (offset === data.length) return written(undefined)
    write(descriptor, data, offset, data.length - offset, null, (fault, bytes) => fault ? written(fault) : next(offset + bytes))
  }
  next(0)
}

const encoder = new TextEncoder()

export interface ProcessOutput {
  readonly service: typeof HeadlessOutput.Service
  /** The first fault of stdout that lost output; a reader that went away is none. */
  readonly lost: () => NodeJS.ErrnoException | undefined
}

/** Listens to the streams from now on; once per process. */
export const openProcessOutput = (): ProcessOutput => {
  let lost: NodeJS.ErrnoException | undefined
  const faulted = (fault: NodeJS.ErrnoException) => {
    if (fault.code !== "EPIPE") lost ??= fault
  }
  const ignored = () => undefined
  process.stdout.on("error", faulted)
  process.stderr.on("error", ignored)
  const stdoutTakesEverything = takesEverything(process.stdout.fd)

  const writeStdout = (data: Uint8Array, written: Written): void => {
    if (data.length === 0 || lost !== undefined) return written(undefined)
    if (!stdoutTakesEverything) return writeToFile(process.stdout.fd, data, written)
    if (process.stdout.destroyed) return written(undefined)
    process.stdout.write(data, written)
  }

  return {
    service: HeadlessOutput.of({
      stdout: (data) =>
        Effect.callback<void>((resume) =>
          writeStdout(typeof data === "string" ? encoder.encode(data) : data, (fault) => {
            if (fault) faulted(fault)
            resume(Effect.void)
          })
        ),
      stderr: (text) =>
        Effect.callback<void>((resume) => {
          if (text.length === 0 || process.stderr.destroyed) return resume(Effect.void)
          process.stderr.write(text, () => resume(Effect.void))
        }),
      terminal: {
        stdout: process.stdout.isTTY === true,
        stderr: process.stderr.isTTY === true,
        get columns() {
          return process.stderr.columns ?? 80
        }
      },
      colour: wantsColour(process.env, process.stdout.isTTY === true)
    }),
    lost: () => lost
  }
}
