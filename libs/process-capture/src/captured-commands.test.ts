import { expect, it } from "@effect/vitest"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { CapturedCommands, type CapturedCommandSpec } from "./captured-commands.ts"

const root = mkdtempSync(join(tmpdir(), "captured-commands-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let calls = 0
const specOf = (command: string, more: Partial<CapturedCommandSpec> = {}): CapturedCommandSpec => ({
  command,
  cwd: root,
  directory: mkdtempSync(join(root, "call-")),
  marker: { name: "STENO_CALL_ID", value: `call_${process.pid}_${++calls}` },
  environment: process.env,
  ...more
})

const run = Effect.fnUntraced(function*(command: string, more: Partial<CapturedCommandSpec> = {}) {
  const commands = yield* CapturedCommands
  const spec = specOf(command, more)
  const started = yield* commands.start(spec)
  const end = yield* started.ended
  const read = (name: string) => readFileSync(join(spec.directory, name))
  return { end, started, directory: spec.directory, names: readdirSync(spec.directory), read }
})

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

const commandsLayer = CapturedCommands.layerNoDeps.pipe(Layer.provideMerge(ProcessHost.layer))

it.layer(commandsLayer, { excludeTestServices: true })("CapturedCommands", (it) => {
  it.effect("200 commands that print to both streams and exit at once lose no byte", () =>
    Effect.gen(function*() {
      const stdout = Buffer.from(Array.from({ length: 2_000 }, (_, index) => `${index + 1}\n`).join(""))
      yield* Effect.forEach(Array.from({ length: 200 }), () =>
        Effect.gen(function*() {
          const { end, read, directory } = yield* run("seq 1 2000; echo 'fatal: nope' >&2; exit 128")
          expect(end.exit).toEqual({ kind: "exited", code: 128 })
          expect(read("stdout.txt").equals(stdout)).toBe(true)
          expect(read("stderr.txt").toString()).toBe("fatal: nope\n")
          expect(end.captured.facts.output).toMatchObject({ observedBytes: 8_905, storedBytes: 8_905, observedLines: 2_001 })
          rmSync(directory, { recursive: true })
        }), { concurrency: 6, discard: true })
    }), 60_000)

  it.effect("lines of both streams stand in order of arrival in output.txt", () =>
    Effect.gen(function*() {
      const { end, read, names } = yield* run("for i in 1 2 3; do echo O$i; sleep 0.05; echo E$i >&2; sleep 0.05; done")
      expect(read("output.txt").toString()).toBe("O1\nE1\nO2\nE2\nO3\nE3\n")
      expect(read("stdout.txt").toString()).toBe("O1\nO2\nO3\n")
      expect(read("stderr.txt").toString()).toBe("E1\nE2\nE3\n")
      expect(names).toEqual(["output.txt", "stderr.txt", "stdout.txt"])
      expect(end.captured.retained).toEqual({ text: "O1\nE1\nO2\nE2\nO3\nE3\n" })
    }))

  it.effect("a partial line older than 200 ms gets a newline in output.txt only", () =>
    Effect.gen(function*() {
      const { end, read } = yield* run("printf foo; sleep 0.5; echo bar >&2; sleep 0.1; echo baz")
      expect(read("output.txt").toString()).toBe("foo\nbar\nbaz\n")
      expect(read("stdout.txt").toString()).toBe("foobaz\n")
      expect(end.captured.facts.output).toEqual({
        observedBytes: 11,
        storedBytes: 12,
        droppedBytes: 0,
        observedLines: 2,
        storedLines: 3
      })
    }))

  it.effect("one stream is its own output, an empty file is gone, silence leaves nothing", () =>
    Effect.gen(function*() {
      const one = yield* run("echo only >&2")
      expect(one.names).toEqual(["stderr.txt"])
      expect(one.end.captured.outputFile).toBe("stderr.txt")
      expect(one.end.captured.facts.output).toEqual(one.end.captured.facts.stderr)
      const none = yield* run("true")
      expect(none.names).toEqual([])
      expect(none.end.captured).toMatchObject({ files: [], retained: { text: "" }, warnings: [] })
      expect(none.end.captured.outputFile).toBeUndefined()
    }))

  it.effect("every file is named with the digest and size of what lies on disk, mode 0600", () =>
    Effect.gen(function*() {
      const { end, read, directory } = yield* run("printf 'a\\0b\\n'; echo e >&2; stat -c %a stdout.txt stderr.txt; exit 0", {})
      expect(end.captured.files.map((file) => file.name)).toEqual(["stdout.txt", "stderr.txt", "output.txt"])
      for (const file of end.captured.files) {
        expect(file.digest).toBe(`sha256:${createHash("sha256").update(read(file.name)).digest("hex")}`)
        expect(file.sizeBytes).toBe(read(file.name).length)
        expect(file.facts.storedBytes).toBe(file.sizeBytes)
      }
      const modes = yield* run(`stat -c %a '${directory}'/*.txt`)
      expect(modes.read("stdout.txt").toString()).toBe("600\n600\n600\n")
    }))

  it.effect("a character printed in two writes stays one, a dangling start is one replacement", () =>
    Effect.gen(function*() {
      const whole = yield* run("printf 'caf\\303'; sleep 0.1; printf '\\251 ok\\n'")
      expect(whole.read("stdout.txt")).toHaveLength(9)
      expect(whole.end.captured.retained).toEqual({ text: "café ok\n" })
      const dangling = yield* run("printf 'x\\360\\237\\230'")
      expect(dangling.end.captured.retained).toEqual({ text: "x\ufffd" })
    }))

  it.effect.each([
    ["echo part1; kill -SEGV $$", { kind: "signalled", signal: "SIGSEGV" }],
    ["echo part1; exit 7", { kind: "exited", code: 7 }]
  ] as const)("%s: what was printed before the end is kept", ([command, exit]) =>
    Effect.gen(function*() {
      const { end, read } = yield* run(command)
      expect(end.exit).toEqual(exit)
      expect(end).toMatchObject({ timedOut: false, survivors: [] })
      expect(end.stopped).toBeUndefined()
      expect(read("stdout.txt").toString()).toBe("part1\n")
    }))

  it.effect("a silent child that holds the pipes is let go after a second and named", () =>
    Effect.gen(function*() {
      const { end, started, read } = yield* run("sleep 45 & echo started")
      expect(end.exit).toEqual({ kind: "exited", code: 0 })
      expect(end.durationMs).toBeGreaterThanOrEqual(990)
      expect(end.survivors.map((survivor) => survivor.command)).toEqual(["sleep 45"])
      expect(read("stdout.txt").toString()).toBe("started\n")
      expect(yield* started.endSurvivors).toEqual({ kind: "confirmed" })
      expect(end.survivors.filter((survivor) => isRunning(survivor.pid))).toEqual([])
    }))

  it.effect("a chattering child does not hold the end up, and its late lines change nothing that was settled", () =>
    Effect.gen(function*() {
      const beats = join(root, "beats")
      const { end, started, directory } = yield* run(
        `trap '' PIPE; ( while echo tick 2>/dev/null || true; do echo beat >>'${beats}'; sleep 0.02; done ) & sleep 0.1; echo ready`
      )
      const settled = readFileSync(join(directory, "stdout.txt"))
      expect(settled.toString()).toContain("ready\n")
      expect(end.survivors.length).toBeGreaterThanOrEqual(1)
      const count = readFileSync(beats).length
      while (readFileSync(beats).length < count + 50) yield* Effect.sleep(10)
      expect(readFileSync(join(directory, "stdout.txt")).equals(settled)).toBe(true)
      expect(yield* started.endSurvivors).toEqual({ kind: "confirmed" })
    }))

  it.effect("a child that let the pipes go is named too", () =>
    Effect.gen(function*() {
      const { end, started } = yield* run(
        "setsid sleep 300 >/dev/null 2>&1 & until read -r name </proc/$!/comm && [ $name = sleep ]; do :; done; echo started"
      )
      expect(end.durationMs).toBeLessThan(900)
      expect(end.survivors).toEqual([{ pid: expect.any(Number), command: "sleep 300" }])
      yield* started.endSurvivors
    }))

  it.effect("a command that puts a folder in the place of its own text ends like any other", () =>
    Effect.gen(function*() {
      const { end, read } = yield* run("echo kept; rm \"$0\"; mkdir \"$0\"; exit 3")
      expect(end.exit).toEqual({ kind: "exited", code: 3 })
      expect(read("stdout.txt").toString()).toBe("kept\n")
    }))

  it.effect("a shell that closed its streams is waited for", () =>
    Effect.gen(function*() {
      const { end } = yield* run("echo before; exec >&- 2>&-; sleep 0.3; exit 4")
      expect(end.exit).toEqual({ kind: "exited", code: 4 })
    }))

  it.effect("a limit ends the command and says so, with its signal", () =>
    Effect.gen(function*() {
      const { end, read } = yield* run("echo one; sleep 300; echo two", { timeoutMs: 200 })
      expect(end).toMatchObject({
        timedOut: true,
        exit: { kind: "signalled", signal: "SIGTERM" },
        stopped: { kind: "confirmed" },
        survivors: []
      })
      expect(read("stdout.txt").toString()).toBe("one\n")
    }))

  it.effect("a limit reaches a child that waits in a session of its own", () =>
    Effect.gen(function*() {
      const { end, read } = yield* run("setsid -w sh -c 'echo $$; exec sleep 300'", { timeoutMs: 300 })
      expect(end).toMatchObject({ timedOut: true, stopped: { kind: "confirmed" }, survivors: [] })
      expect(isRunning(Number(read("stdout.txt").toString()))).toBe(false)
    }))

  it.effect("stop ends the command; a second stop without grace overtakes it", () =>
    Effect.gen(function*() {
      const commands = yield* CapturedCommands
      const flag = join(root, "asked")
      const started = yield* commands.start(specOf(`trap 'touch ${flag}' TERM; echo on; while :; do sleep 0.02; done`))
      yield* Effect.sleep(100)
      yield* Effect.forkChild(started.stop({ grace: true }), { startImmediately: true })
      while (!existsSync(flag)) yield* Effect.sleep(5)
      expect(yield* started.stop({ grace: false })).toEqual({ kind: "confirmed" })
      const end = yield* started.ended
      expect(end).toMatchObject({ timedOut: false, exit: { kind: "signalled", signal: "SIGKILL" }, stopped: { kind: "confirmed" } })
      expect(end.durationMs).toBeLessThan(1_900)
      expect(started.endedByItself()).toBe(false)
    }))

  it.effect.each([
    ["with grace", { grace: true }, "sleep 33"],
    ["without grace", { grace: false }, "(trap '' TERM; exec sleep 33)"]
  ] as const)("a stop %s after the shell exited leaves it its own end and ends what it left", ([, options, child]) =>
    Effect.gen(function*() {
      const commands = yield* CapturedCommands
      const started = yield* commands.start(specOf(`${child} & echo out; exit 7`))
      while (!started.endedByItself()) yield* Effect.sleep(5)
      expect(yield* started.stop(options)).toEqual({ kind: "confirmed" })
      const end = yield* started.ended
      expect(end).toMatchObject({ exit: { kind: "exited", code: 7 }, timedOut: false, survivors: [] })
      expect(end.stopped).toBeUndefined()
      expect(started.endedByItself()).toBe(true)
    }))

  it.effect.each(["stop", "limit"] as const)("a shell that exited while the thread was busy keeps its own end from a %s that comes before the news", (by) =>
    Effect.gen(function*() {
      const commands = yield* CapturedCommands
      const started = yield* commands.start(specOf("sleep 0.1; exit 7", by === "limit" ? { timeoutMs: 200 } : {}))
      const until = performance.now() + 250
      yield* Effect.callback<void>((resume) => {
        setImmediate(() => {
          while (isRunning(started.identity?.pid ?? 0) || performance.now() < until) continue
          resume(Effect.void)
        })
      })
      if (by === "stop") yield* started.stop({ grace: true })
      const end = yield* started.ended
      expect(end).toMatchObject({ exit: { kind: "exited", code: 7 }, timedOut: false })
      expect(end.stopped).toBeUndefined()
    }))

  it.effect("commands leave no descriptor open", () =>
    Effect.gen(function*() {
      const many = Effect.forEach(Array.from({ length: 12 }), () => run("echo out; echo err >&2"), { concurrency: 4 })
      yield* many
      const open = () => readdirSync("/proc/self/fd").length
      const before = open()
      yield* many
      yield* many
      expect(open()).toBeLessThanOrEqual(before + 8)
    }))

  it.effect("a command that cannot start leaves no file", () =>
    Effect.gen(function*() {
      const commands = yield* CapturedCommands
      const spec = specOf("true", { cwd: join(root, "missing") })
      expect((yield* Effect.flip(commands.start(spec))).reason).toMatchObject({ _tag: "CouldNotStart", code: "ENOENT" })
      while (readdirSync(spec.directory).length > 0) yield* Effect.sleep(5)
    }))

  it.effect.each(["stdout.txt", "stderr.txt", "output.txt"])("a folder that already holds %s is refused before anything runs", (name) =>
    Effect.gen(function*() {
      const commands = yield* CapturedCommands
      const spec = specOf(`touch '${join(root, "ran")}'`)
      writeFileSync(join(spec.directory, name), "mine")
      const error = yield* Effect.flip(commands.start(spec))
      expect(error.reason).toMatchObject({ _tag: "CaptureFailed", code: "EEXIST", path: join(spec.directory, name) })
      expect(readdirSync(spec.directory)).toEqual([name])
      expect(readFileSync(join(spec.directory, name), "utf8")).toBe("mine")
      expect(existsSync(join(root, "ran"))).toBe(false)
    }))
})
