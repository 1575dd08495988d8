/** Files of a home as a test finds or leaves them. */
import { Effect, type Layer } from "effect"
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { LedgerError } from "../ledger-errors.ts"
import type { Ledger } from "../ledger-layer.ts"
import { RunLedger } from "../runs.ts"
import { sampleAdmission } from "./sample-facts.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** Bytes of every file below a folder, as hexadecimal text by path. */
export const folderBytes = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path), "hex")])
  )

/** Copies database and journal, without the index, of a file that may be open: what a process leaves that is killed now. */
export const leaveBehind = (file: string, target: string): void => {
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, target + suffix)
}

/** A `core.sqlite` in a folder of its own whose last commits are only in its journal; Run 1 is admitted in it. */
export const crashedHome = Effect.fnUntraced(function*(layerOf: (file: string) => Layer.Layer<Ledger, LedgerError>) {
  const file = join(yield* temporaryFolder, "core.sqlite")
  const target = join(yield* temporaryFolder, "core.sqlite")
  yield* Effect.gen(function*() {
    const runs = yield* RunLedger
    yield* runs.admitRun(sampleAdmission(1))
    leaveBehind(file, target)
  }).pipe(Effect.provide(layerOf(file)))
  return target
})
