/** Many processes that start Runs in one new home at once, and what is stored afterwards. */
import { Effect } from "effect"
import { statSync } from "node:fs"
import { ledgerLayer } from "../ledger-layer.ts"
import { RunLedger, type RunRecord } from "../runs.ts"
import { runChild } from "./child-process.ts"
import { sampleId } from "./sample-facts.ts"

export interface Contention {
  readonly file: string
  readonly processes: number
  readonly runsEach: number
}

export interface ContentionEnd {
  /** What was wrong, one line each: of a process or of a Run. */
  readonly violations: ReadonlyArray<string>
  /** Runs that are stored as they should be. */
  readonly whole: number
  /** Size of the journal at its largest, as seen each time a process ended. */
  readonly journalBytes: number
}

/** Numbers of one process: they do not meet those of another. */
const firstOf = (child: number): number => child * 10_000 + 1

const violationOf = (number: number, record: RunRecord | undefined): string | undefined => {
  if (record === undefined) return `Run ${number} is not stored`
  const sequences = record.events.map(({ sequence }) => sequence).join()
  if (sequences !== "1,2,3,4") return `Run ${number} has sequence ${sequences}`
  if (record.run.state !== "succeeded" || record.run.owner !== undefined) return `Run ${number} does not rest`
  if (record.unfinished.length > 0 || record.assets.length !== 1) return `Run ${number} has other rows`
  return undefined
}

export const startRunsAtOnce = Effect.fnUntraced(function*({ file, processes, runsEach }: Contention) {
  const children = Array.from({ length: processes }, (_, child) => child)
  let journalBytes = 0
  const ends = yield* Effect.forEach(children, (child) =>
    Effect.map(runChild({ do: "start-runs", file, first: firstOf(child), count: runsEach }), (end) => {
      journalBytes = Math.max(journalBytes, statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
      return end
    }), { concurrency: "unbounded" })
  const ofProcesses = ends.flatMap(({ said, stderr }, child) =>
    JSON.stringify(said) === JSON.stringify({ started: runsEach }) && stderr === ""
      ? []
      : [`process ${child} said ${JSON.stringify(said)} ${stderr}`]
  )
  const numbers = children.flatMap((child) => Array.from({ length: runsEach }, (_, index) => firstOf(child) + index))
  const found = yield* Effect.gen(function*() {
    const runs = yield* RunLedger
    const listed = yield* runs.listRuns({ limit: numbers.length + 1 })
    const ofRuns = yield* Effect.forEach(numbers, (number) =>
      Effect.map(runs.readRun(sampleId.run(number)), (record) => violationOf(number, record)))
    return { listed: listed.length, ofRuns: ofRuns.filter((violation) => violation !== undefined) }
  }).pipe(Effect.provide(ledgerLayer({ file, access: "read" })))
  const ofList = found.listed === numbers.length ? [] : [`${found.listed} Runs are listed`]
  return {
    violations: [...ofProcesses, ...found.ofRuns, ...ofList],
    whole: numbers.length - found.ofRuns.length,
    journalBytes
  } satisfies ContentionEnd
})
