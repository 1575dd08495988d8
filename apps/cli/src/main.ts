/**
 * Runs the command line in this process.
 *
 * Owns: the process's arguments, exit code and signals.
 */
import { Cause, Effect, Exit } from "effect"
import { incidentText } from "./incident.ts"
import { listenForSignals } from "./signals.ts"
import { stenoProgram } from "./program.ts"

export const main = async (): Promise<void> => {
  const signals = listenForSignals()
  const exit = await Effect.runPromiseExit(stenoProgram(process.argv.slice(2), { admittedRun: signals.admittedRun }))
  if (Exit.isSuccess(exit)) {
    process.exit(signals.exitCode(exit.value))
  }
  process.stderr.write(incidentText(Cause.pretty(exit.cause)))
  process.exit(1)
}
