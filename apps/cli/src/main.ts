/**
 * Runs the command line in this process.
 *
 * Owns: the process's arguments, exit code and signals.
 */
import { Effect } from "effect"
import { listenForSignals } from "./signals.ts"
import { stenoProgram } from "./program.ts"

export const main = async (): Promise<void> => {
  const signals = listenForSignals()
  const code = await Effect.runPromise(stenoProgram(process.argv.slice(2), { admittedRun: signals.admittedRun }))
  process.exit(signals.exitCode(code))
}
