/**
 * Kills Steno again and again and looks at what the next process finds.
 *
 * Usage: `npm run crash [-- KILLS]`, default 100 kills. Prints one line per scenario and ends with `N passed, N failed`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hostedScenarios } from "./hosted-scenarios.ts"
import { callIdsOf, ledgerViolations, markedProcesses } from "./invariants.ts"
import { bundleKilledSteno, workspaceOf } from "./killed-steno.ts"
import { commandScenarios, type Scenario } from "./scenarios.ts"

const wantedKills = Number(process.argv[2] ?? "100")
if (!Number.isInteger(wantedKills) || wantedKills < 1) {
  process.stderr.write(`KILLS is a whole number from 1; it was ${process.argv[2]}\n`)
  process.exit(64)
}
const scenarios: ReadonlyArray<Scenario> = [...commandScenarios, ...hostedScenarios]
let kills = 0
let passed = 0
let failed = 0

await bundleKilledSteno()
while (kills < wantedKills) {
  for (const scenario of scenarios) {
    if (kills >= wantedKills) break
    const place = mkdtempSync(join(tmpdir(), "steno-crash-"))
    const home = join(place, "home")
    for (const folder of [home, workspaceOf(home)]) mkdirSync(folder)
    const violations = [...await scenario.run(home), ...ledgerViolations(home)]
    const left = markedProcesses(callIdsOf(home))
    if (left.length > 0) violations.push(`processes left: ${left.join(", ")}`)
    kills += scenario.kills
    if (violations.length === 0) passed++
    else failed++
    process.stdout.write(`${violations.length === 0 ? "ok  " : "FAIL"} ${scenario.name}\n`)
    for (const violation of violations) process.stdout.write(`       ${violation}\n`)
    if (violations.length === 0) rmSync(place, { recursive: true, force: true })
    else process.stdout.write(`       home: ${home}\n`)
  }
}
process.stdout.write(`${kills} kills\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
