/**
 * Eight processes start fifty Runs each in one new home at once.
 *
 * Usage: `npm run contention -w @steno/ledger [-- PROCESSES RUNS]`. Prints what was wrong, then `N passed, N failed`:
 * Runs that are stored whole, and violations.
 */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleChild } from "../src/testing/bundled-child.ts"
import { startRunsAtOnce } from "../src/testing/contention.ts"

const [processes = 8, runsEach = 50] = process.argv.slice(2).map(Number)
await bundleChild()
const folder = mkdtempSync(join(tmpdir(), "steno-contention-"))
const end = await Effect.runPromise(startRunsAtOnce({ file: join(folder, "core.sqlite"), processes, runsEach }))
rmSync(folder, { recursive: true })
for (const violation of end.violations) process.stdout.write(`FAIL ${violation}\n`)
process.stdout.write(`journal at most ${end.journalBytes} bytes\n${end.whole} passed, ${end.violations.length} failed\n`)
process.exitCode = end.violations.length === 0 ? 0 : 1
