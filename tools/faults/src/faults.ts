/**
 * Fails every file and database write of a Run, one at a time, and looks at what was said and what is recorded.
 *
 * Usage: `npm run faults [-- all]`. Prints one line per kind of fault, below it what was wrong, and ends with
 * `N passed, N failed`. `all` tries every code and span at every operation.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Fault, TracedPoint } from "./fault-plan.ts"
import { type FaultyCommand, longCommand, shortCommand } from "./faulty-command.ts"
import { bundleFaultySteno, runSteno } from "./faulty-steno.ts"
import { judge } from "./judgement.ts"
import { faultsAt, faultWords, kindWords } from "./matrix.ts"

const everything = process.argv[2] === "all"
if (process.argv.length > 2 && !everything) {
  process.stderr.write(`The only argument is all; it was ${process.argv[2]}\n`)
  process.exit(64)
}

/** Processes with a fault at the same time. */
const width = 3

interface Tried {
  readonly kind: string
  readonly violations: ReadonlyArray<string>
}

const newRoot = () => mkdtempSync(join(tmpdir(), "steno-faults-"))
const start = (command: FaultyCommand) => ["run", "start", "--json", "--", command.text]

/** Where a write may fail, or be said to have failed after its commit; how many blocks an output takes differs from Run to Run. */
const pointsOf = async (command: FaultyCommand): Promise<ReadonlyArray<TracedPoint>> => {
  const root = newRoot()
  const { trace } = await runSteno(root, undefined, start(command))
  rmSync(root, { recursive: true, force: true })
  return trace.filter((point) => command === shortCommand || point.nth === 1)
}

const tryFault = async (command: FaultyCommand, fault: Fault): Promise<Tried> => {
  const root = newRoot()
  const violations = await judge(root, command, await runSteno(root, fault, start(command)))
  if (violations.length === 0) rmSync(root, { recursive: true, force: true })
  const name = `${faultWords(fault)}, of ${command.name} (${root})`
  return {
    kind: kindWords(fault),
    violations: violations.length === 0 ? [] : [name, ...violations.map((violation) => `  ${violation}`)]
  }
}

await bundleFaultySteno()
const shortPoints = await pointsOf(shortCommand)
const known = new Set(shortPoints.map((point) => point.words))
const longPoints = (await pointsOf(longCommand)).filter((point) => !known.has(point.words))
const left = [
  ...faultsAt(shortPoints, everything).map((fault) => ({ command: shortCommand, fault })),
  ...faultsAt(longPoints, everything).map((fault) => ({ command: longCommand, fault }))
]
const tried: Array<Tried> = []
const work = async () => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) tried.push(await tryFault(next.command, next.fault))
}
await Promise.all(Array.from({ length: width }, work))

for (const kind of [...new Set(tried.map((one) => one.kind))].toSorted()) {
  const ofKind = tried.filter((one) => one.kind === kind)
  const wrong = ofKind.filter((one) => one.violations.length > 0)
  process.stdout.write(`${wrong.length === 0 ? "ok  " : "FAIL"} ${kind}: ${ofKind.length - wrong.length} of ${ofKind.length}\n`)
  for (const { violations } of wrong) for (const line of violations) process.stdout.write(`       ${line}\n`)
}
const failed = tried.filter((one) => one.violations.length > 0).length
process.stdout.write(`${tried.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
