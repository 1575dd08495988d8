/** The steno command line that kills itself, as `kill -9` would, the n-th time a write reaches a named point. */
import { stenoProgram } from "@steno/cli/program"
import { Failpoint } from "@steno/ledger"
import { Effect } from "effect"

const [point, nth, ...args] = process.argv.slice(2)
let left = Number(nth)

const dieAtPoint = (reached: string) => {
  if (reached !== point || --left > 0) return
  process.kill(process.pid, "SIGKILL")
}

const code = await Effect.runPromise(
  stenoProgram(args, { admittedRun: () => Effect.void }).pipe(Effect.provideService(Failpoint, dieAtPoint))
)
process.exit(code)
