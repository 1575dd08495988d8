/**
 * What calls of the built-in loop cost: 100 `true`, one after the other, with the built command line; and the 1,000th call
 * beside the 50th.
 *
 * Limits: times are those the record gives, in whole milliseconds; so spans of many calls are compared, never single ones.
 */
import Database from "better-sqlite3"
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeHome, removeHome } from "./core.ts"
import { watchPeakMemory } from "./peak-memory.ts"
import { report, spread } from "./ratio.ts"
import { pack, packedBin } from "./startup.ts"

const hundredRounds = 5
const thousandRounds = 3
const span = 50

/** The same work in four other agents, measured once on a like machine: only the order of magnitude counts. */
const others = "four other agents, measured once: 10.1, 26.8, 58.1, 84.3 ms"

interface Measured {
  readonly wallMs: number
  readonly peakMegabytes: number
  readonly calls: ReadonlyArray<{ readonly askedMs: number; readonly settledMs: number }>
}

const storedCalls = (home: string): Measured["calls"] => {
  const database = new Database(join(home, "core.sqlite"), { readonly: true })
  const times = (type: string) =>
    database.prepare<[string], { readonly created_at: string }>("SELECT created_at FROM event WHERE type = ? ORDER BY sequence")
      .all(type).map((row) => Date.parse(row.created_at))
  const asked = times("assistant-message")
  const calls = times("tool-call-response").map((settledMs, index) => ({ askedMs: asked[index] ?? Number.NaN, settledMs }))
  database.close()
  return calls
}

const runCalls = async (count: number): Promise<Measured> => {
  const home = makeHome()
  const workspace = join(home, "workspace")
  mkdirSync(workspace)
  mkdirSync(join(home, "config"))
  writeFileSync(join(home, "config", "policy.json"), JSON.stringify({ rules: [{ effect: "allow", command: "true" }] }))
  const script = join(home, "script.json")
  writeFileSync(script, JSON.stringify({
    steps: [
      { answer: { content: [{ type: "call", tool: "bash", arguments: { command: "true" } }] }, times: count },
      { answer: { content: [{ type: "text", text: "Done." }] } }
    ]
  }))
  const started = performance.now()
  const child = spawn(process.execPath, [
    packedBin, "--home", home, "run", "start", "--harness", "hosted", "--model", `script:${script}`, "--workspace", workspace, "--json", "--", "go"
  ], { stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")))
  child.stderr.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")))
  const watch = watchPeakMemory(child.pid ?? 0)
  const code = await new Promise<number | null>((resolve) => void child.on("close", resolve))
  const peak = watch()
  const wallMs = performance.now() - started
  if (code !== 0) throw new Error(`steno ended with ${code}: ${text.slice(-2_000)}`)
  const calls = storedCalls(home)
  removeHome(home)
  if (calls.length !== count) throw new Error(`${calls.length} of ${count} calls are on record`)
  return { wallMs, peakMegabytes: peak, calls }
}

/** Milliseconds per call from the answer of the call before to its own. */
const msPerCall = ({ calls }: Measured, from: number, to: number): number => {
  const [first, last] = [calls[from], calls[to]]
  return first === undefined || last === undefined ? Number.NaN : (last.settledMs - first.settledMs) / (to - from)
}

/** Milliseconds per call from its stored message to its stored answer: all but asking the model. */
const callMs = ({ calls }: Measured, from: number, to: number): number =>
  calls.slice(from, to).reduce((sum, call) => sum + call.settledMs - call.askedMs, 0) / (to - from)

const times = async <A>(count: number, work: () => Promise<A>): Promise<ReadonlyArray<A>> => {
  const done: Array<A> = []
  for (let round = 0; round < count; round++) done.push(await work())
  return done
}

export const benchHosted = async (): Promise<void> => {
  pack()
  await runCalls(1)
  const hundred = await times(hundredRounds, () => runCalls(100))
  report("hosted loop, 100 sequential `true`, per call", hundred.map((run) => msPerCall(run, 0, 99)), { unit: " ms" }, others)
  report("its peak memory", hundred.map((run) => run.peakMegabytes), { unit: " MB" }, `whole command ${Math.round(spread(hundred.map((run) => run.wallMs)).median)} ms`)
  const thousand = await times(thousandRounds, () => runCalls(1_000))
  const late = 1_000 - span
  report("call 1,000 beside call 50, all but asking the model", thousand.map((run) => callMs(run, late, 999) / callMs(run, 25, 75)), {
    unit: " ×",
    atMost: 1.1
  }, `${spread(thousand.map((run) => callMs(run, 25, 75))).median.toFixed(2)} ms at call 50`)
  report("call 1,000 beside call 50, asking the model included", thousand.map((run) => msPerCall(run, late, 999) / msPerCall(run, 25, 75)), { unit: " ×" })
  report("peak memory of 1,000 calls", thousand.map((run) => run.peakMegabytes), { unit: " MB" })
}
