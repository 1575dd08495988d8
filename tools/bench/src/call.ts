/** What one direct command costs from its creation to its durable settlement, beside a bare `spawn` of the same. */
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { admitRun, coreOn, makeHome, removeHome } from "./core.ts"
import { report, spread } from "./ratio.ts"

const command = "true"
const rounds = 15
const callsPerRound = 20

const bareSpawn = (script: string) =>
  new Promise<void>((resolve) => {
    writeFileSync(script, command)
    const child = spawn("bash", ["--noprofile", "--norc", script], { detached: true, stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.resume()
    child.stderr.resume()
    child.on("close", () => {
      rmSync(script)
      resolve()
    })
  })

const timed = Effect.fnUntraced(function*(work: Effect.Effect<unknown, unknown>) {
  const started = performance.now()
  for (let call = 0; call < callsPerRound; call++) yield* work
  return (performance.now() - started) / callsPerRound
})

export const benchCall = Effect.gen(function*() {
  const home = makeHome()
  const differences = yield* Effect.gen(function*() {
    const toolCalls = yield* ToolCallService
    const turn = yield* admitRun
    const steno = Effect.flatMap(
      toolCalls.runDirectCommand({ ...turn, workspace: process.cwd(), arguments: { command, cwd: process.cwd() } }),
      (call) => call.settled
    )
    const bare = Effect.promise(() => bareSpawn(join(home, "bare.sh")))
    yield* timed(steno)
    yield* timed(bare)
    const pairs: Array<{ steno: number; bare: number }> = []
    for (let round = 0; round < rounds; round++) pairs.push({ steno: yield* timed(steno), bare: yield* timed(bare) })
    return pairs
  }).pipe(Effect.provide(coreOn(home)))
  removeHome(home)
  const bareMs = spread(differences.map((pair) => pair.bare)).median.toFixed(2)
  report("create → settled of one direct command, beyond a bare spawn", differences.map((pair) => pair.steno - pair.bare), {
    unit: " ms",
    atMost: 4
  }, `bare spawn ${bareMs} ms`)
  report("the same as a ratio", differences.map((pair) => pair.steno / pair.bare), { unit: " ×" })
})
