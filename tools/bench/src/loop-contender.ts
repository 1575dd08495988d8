/** Writes to a home's ledger without pause until it is killed; prints one line once it writes. */
import { Effect } from "effect"
import { admitRun, coreOn } from "./core.ts"

const [home] = process.argv.slice(2)
if (home === undefined) throw new Error("A home is needed")

await Effect.runPromise(
  Effect.gen(function*() {
    yield* admitRun
    process.stdout.write("writing\n")
    while (true) yield* admitRun
  }).pipe(Effect.provide(coreOn(home)))
)
