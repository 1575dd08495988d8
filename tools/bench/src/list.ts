/** `run list` of the built command line on a home of 1,000 Runs beside one of 10, and what such a home weighs. */
import { TurnLedger } from "@steno/ledger"
import { DateTime, Effect } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { admitRun, coreOn, makeHome, removeHome } from "./core.ts"
import { report } from "./ratio.ts"
import { pack, packedBin, timedNode } from "./startup.ts"

const rounds = 15

/** Runs at rest, each with one Turn. */
const fill = (home: string, runs: number) =>
  Effect.gen(function*() {
    const turns = yield* TurnLedger
    for (let made = 0; made < runs; made++) {
      const { conversationId, fence, turnId } = yield* admitRun
      yield* turns.settleTurn(fence, {
        conversationId,
        turnId,
        settled: { result: "completed", availability: "open" },
        responses: [],
        rest: "succeeded",
        at: DateTime.formatIso(yield* DateTime.now)
      })
    }
  }).pipe(Effect.provide(coreOn(home)))

const kibibytes = (path: string) => Math.round((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1024)

export const benchList = Effect.gen(function*() {
  pack()
  const [small, large] = [makeHome(), makeHome()]
  yield* fill(small, 10)
  yield* fill(large, 1_000)
  const list = (home: string) => timedNode([packedBin, "--home", home, "run", "list", "--all", "--json"])
  list(small)
  list(large)
  const ratios = Array.from({ length: rounds }, () => list(large) / list(small))
  const database = join(large, "core.sqlite")
  report("`run list` with 1,000 Runs against 10", ratios, { unit: " ×", atMost: 1.5 }, `1,000 Runs: database ${kibibytes(database)} KiB, WAL ${kibibytes(`${database}-wal`)} KiB`)
  removeHome(small)
  removeHome(large)
})
