/** How long after the end of its shell a command is settled, each of a hundred times. */
import { ToolCallService } from "@steno/tool-call-service"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { admitRun, coreOn, makeHome, removeHome } from "./core.ts"
import { report } from "./ratio.ts"

const commands = 100
const atOnce = 4

export const benchEnding = Effect.gen(function*() {
  const home = makeHome()
  const waits = yield* Effect.gen(function*() {
    const toolCalls = yield* ToolCallService
    const turn = yield* admitRun
    /** The last thing the shell does is to write down when that was, in seconds. */
    const settleAfterEnd = (index: number) =>
      Effect.gen(function*() {
        const stamp = join(home, `stamp-${index}`)
        const command = `sleep 0.2; echo finished; echo $EPOCHREALTIME > '${stamp}'`
        const call = yield* toolCalls.runDirectCommand({ ...turn, workspace: process.cwd(), arguments: { command, cwd: process.cwd() } })
        const { exitCode } = yield* call.settled
        const settledMs = performance.timeOrigin + performance.now()
        if (exitCode !== 0) throw new Error(`command ${index} ended with ${exitCode}`)
        return settledMs - Number(readFileSync(stamp, "utf8")) * 1_000
      })
    return yield* Effect.forEach(Array.from({ length: commands }, (_, index) => index), settleAfterEnd, { concurrency: atOnce })
  }).pipe(Effect.provide(coreOn(home)))
  removeHome(home)
  report(`end of the shell → settled, ${commands} of ${commands} commands`, waits, { unit: " ms", atMost: 250, judged: "maximum" })
})
