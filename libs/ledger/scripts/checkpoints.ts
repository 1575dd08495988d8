/**
 * Two processes write to one home while a third connection checkpoints its journal all the time, round after round.
 *
 * Usage: `npm run checkpoints -w @steno/ledger [-- MINUTES]`, default 10. Each round is a new home. Prints what was wrong,
 * then `N passed, N failed`: rounds that left whole Runs in a sound database, and violations.
 */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleChild } from "../src/testing/bundled-child.ts"
import { writeUnderCheckpoints } from "../src/testing/checkpoint-load.ts"

const [minutes = 10] = process.argv.slice(2).map(Number)
const until = performance.now() + minutes * 60_000
let [passed, failed, whole, checkpoints] = [0, 0, 0, 0]

await bundleChild()
do {
  const folder = mkdtempSync(join(tmpdir(), "steno-checkpoints-"))
  const end = await Effect.runPromise(writeUnderCheckpoints({ file: join(folder, "core.sqlite"), processes: 2, runsEach: 500 }))
  rmSync(folder, { recursive: true })
  for (const violation of end.violations) process.stdout.write(`FAIL ${violation}\n`)
  if (end.violations.length === 0) passed++
  failed += end.violations.length
  whole += end.whole
  checkpoints += end.checkpoints
} while (performance.now() < until)
process.stdout.write(`${whole} Runs, ${checkpoints} checkpoints\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
