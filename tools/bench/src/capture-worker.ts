/**
 * Measures one way of taking output from pipes, alone in its process; prints {ms, cpuMs, rssMiB, diskMiB} as JSON.
 *
 * Usage: `capture-worker.ts bare-file|bare-drain|steno one|both|small-writes MEBIBYTES`
 * Limits: CPU time is that of this process, without the command's; disk is what lies there when all has ended.
 */
import { CapturedCommands, CaptureFiles } from "@steno/process-capture"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"

const [mode, streams, mebibytes] = process.argv.slice(2)
const mebibyte = 1024 * 1024
const bytes = Number(mebibytes) * mebibyte
const lines = "yes 0123456789abcdef0123456789abcdef"
const print = streams === "small-writes"
  ? `${lines} | dd bs=4096 count=${bytes / 4096} iflag=fullblock status=none`
  : `${lines} | head -c ${bytes}`
const command = streams === "both" ? `{ ${print}; } & { ${print}; } >&2 & wait` : print
const folder = mkdtempSync(join(tmpdir(), "steno-bench-capture-"))

const bareToFile = async () => {
  const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] })
  await Promise.all([
    pipeline(child.stdout, createWriteStream(join(folder, "stdout"))),
    pipeline(child.stderr, createWriteStream(join(folder, "stderr")))
  ])
}

const bareDrain = () =>
  new Promise<void>((resolve) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.on("data", () => {})
    child.stderr.on("data", () => {})
    child.on("close", () => resolve())
  })

const layer = Layer.merge(CapturedCommands.layerNoDeps, CaptureFiles.layer).pipe(Layer.provideMerge(ProcessHost.layer))

const steno = Effect.gen(function*() {
  const commands = yield* CapturedCommands
  const started = yield* commands.start({
    command,
    cwd: folder,
    directory: folder,
    marker: { name: "STENO_CALL_ID", value: `call_bench_${process.pid}` },
    environment: process.env
  })
  const { captured } = yield* started.ended
  for (const file of captured.files) {
    const { droppedBytes, observedBytes, storedBytes } = file.facts
    const size = statSync(join(folder, file.name)).size
    const isStream = file.stream !== "output"
    const expected = isStream ? bytes : 2 * bytes
    const holds = observedBytes === expected && size === storedBytes && size <= 16 * mebibyte &&
      (isStream ? droppedBytes === expected - size : droppedBytes > expected - size)
    if (!holds) throw new Error(`${file.name} of ${size} bytes has ${JSON.stringify(file.facts)}`)
  }
})

const measure = async (work: () => Promise<void>) => {
  const before = process.memoryUsage.rss()
  const startedMs = performance.now()
  const cpu = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(cpu)
  const ms = performance.now() - startedMs
  const peak = process.resourceUsage().maxRSS * 1024
  const blocks = readdirSync(folder).map((name) => statSync(join(folder, name)).blocks)
  process.stdout.write(`${JSON.stringify({
    ms,
    cpuMs: (system + user) / 1_000,
    rssMiB: Math.max(0, peak - before) / mebibyte,
    diskMiB: blocks.reduce((sum, count) => sum + count * 512, 0) / mebibyte
  })}\n`)
}

try {
  if (mode === "bare-file") await measure(bareToFile)
  else if (mode === "bare-drain") await measure(bareDrain)
  else await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const context = yield* Layer.build(layer)
    yield* Effect.promise(() => measure(() => Effect.runPromise(Effect.provide(steno, context))))
  })))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
