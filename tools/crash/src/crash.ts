/**
 * Kills Steno again and again and looks at what the next process finds.
 *
 * Usage: `npm run crash [-- KILLS]`, default 100 kills. Prints one line per scenario and ends with `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callIdsOf, ledgerViolations, markedProcesses } from "./invariants.ts"
import { bundleKilledSteno } from "./killed-steno.ts"
import { scenarios } from "./scenarios.ts"

const wantedKills = Number(process.argv[2] ?? "100")
if (!Number.isInteger(wantedKills) || wantedKills < 1) {
  process.stderr.write(`KILLS is a whole number from 1; it was ${process.argv[2]}\n`)
  process.exit(64)
}
let kills = 0
let passed = 0
let failed = 0

await bundleKilledSteno()
while (kills < wantedKills) {
  for (const scenario of scenarios) {
    if (kills >= wantedKills) break
    const home = mkdtempSync(join(tmpdir(), "steno-crash-"))
    const violations = [...await scenario.run(home), ...ledgerViolations(home)]
    const left = markedProcesses(callIdsOf(home))
    if (left.length > 0) violations.push(`processes left: ${left.join(", ")}`)
    kills += scenario.kills
    if (violations.length === 0) passed++
    else failed++
    process.stdout.write(`${violations.length === 0 ? "ok  " : "FAIL"} ${scenario.name}\n`)
    for (const violation of violations) process.stdout.write(`       ${violation}\n`)
    if (violations.length === 0) rmSync(home, { recursive: true, force: true })
    else process.stdout.write(`       home: ${home}\n`)
  }
}
process.stdout.write(`${kills} kills\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
