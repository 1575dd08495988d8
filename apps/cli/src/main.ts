/**
 * Runs the command line in this process.
 *
 * Owns: the process's arguments, exit code and signals; how much memory is held for values that live for a moment.
 */
import { exitCodes } from "@steno/headless"
import { Cause, Effect, Exit, Fiber } from "effect"
import { setFlagsFromString } from "node:v8"
import { listenForSignals } from "./signals.ts"
import { stenoProgram } from "./program.ts"

/**
 * The space of young values grows no more: it would to tens of megabytes that a long Turn never gives back, although little of
 * what it makes outlives a moment. Once the program is loaded, and not before, because loading is slower with a small one.
 */
const holdYoungSpace = () => setFlagsFromString("--semi-space-growth-factor=1")

export const main = async (): Promise<void> => {
  holdYoungSpace()
  const signals = listenForSignals(() => Effect.runFork(Fiber.interrupt(work)))
  const work = Effect.runFork(stenoProgram(process.argv.slice(2), { admittedRun: signals.admittedRun }))
  const exit = await Effect.runPromise(Fiber.await(work))
  if (Exit.isFailure(exit) && !signals.hasCome()) throw Cause.squash(exit.cause)
  process.exit(signals.exitCode(Exit.isSuccess(exit) ? exit.value : exitCodes.problem))
}
