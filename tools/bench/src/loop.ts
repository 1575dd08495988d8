/**
 * The longest block of the event loop while four processes contend for one ledger.
 *
 * This process is the one watched: it weighs 250 MB, runs direct commands and takes one 16 MiB capture;
 * three others write to the same ledger without pause. Prints the longest block, beside that of bare spawns in the same process.
 * Usage: `npm run bench:loop`
 */
import { ToolCallService } from "@steno/tool-call-service"
import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { admitRun, coreOn, makeHome, removeHome } from "./core.ts"
import { report } from "./ratio.ts"
import { watchLoop } from "./loop-watch.ts"

const parentBytes = 250 * 1024 * 1024
const rounds = 5
const contenders = 3
const contender = fileURLToPath(new URL("./loop-contender.ts", import.meta.url))

const fill = (): ReadonlyArray<Buffer> => {
  const blocks: Array<Buffer> = []
  while (process.memoryUsage.rss() < parentBytes) blocks.push(Buffer.alloc(4 * 1024 * 1024, 1))
  return blocks
}

const bareSpawns = () =>
  new Promise<void>((resolve) => {
    let left = 20
    const next = () => {
      if (left-- === 0) return resolve()
      spawn("true", { stdio: ["ignore", "pipe", "pipe"] }).on("close", next)
    }
    next()
  })

const round = Effect.fnUntraced(function*(home: string) {
  const toolCalls = yield* ToolCallService
  const turn = yield* admitRun
  const others = Array.from({ length: contenders }, () =>
    spawn(process.execPath, [contender, home], { stdio: ["ignore", "pipe", "inherit"] }))
  yield* Effect.forEach(others, (other) =>
    Effect.callback<void>((resume) => {
      other.stdout.once("data", () => resume(Effect.void))
    }), { concurrency: "unbounded" })
  const call = (command: string) =>
    Effect.flatMap(
      toolCalls.runDirectCommand({ ...turn, workspace: home, arguments: { command, cwd: home } }),
      (admitted) => admitted.settled
    )
  const watch = watchLoop()
  const capture = yield* Effect.forkChild(call("yes 0123456789abcdef | head -c 16777216"))
  for (let count = 0; count < 20; count++) yield* call("true")
  yield* Fiber.join(capture)
  const longest = watch.stop()
  for (const other of others) other.kill("SIGKILL")
  const bare = watchLoop()
  yield* Effect.promise(bareSpawns)
  return { steno: longest, bare: bare.stop() }
})

const home = makeHome()
const { ballast, found } = await Effect.runPromise(
  Effect.gen(function*() {
    yield* round(home)
    const ballast = fill()
    return { ballast, found: yield* Effect.forEach(Array.from({ length: rounds }), () => round(home)) }
  }).pipe(Effect.provide(coreOn(home)))
)
removeHome(home)
const rssMb = Math.round(process.memoryUsage.rss() / 1e6)
report("longest block of the event loop", found.map((pair) => pair.steno), { unit: " ms", atMost: 20 }, `RSS ${rssMb} MB, ballast ${ballast.length * 4} MiB`)
report("the same for bare spawns in this process", found.map((pair) => pair.bare), { unit: " ms" })
