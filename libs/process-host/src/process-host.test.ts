import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { afterAll, vi } from "vitest"
import { identityOf } from "./process-liveness.ts"
import { type CommandSpec, ProcessHost, type RunningCommand } from "./process-host.ts"

const root = mkdtempSync(join(tmpdir(), "process-host-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let calls = 0
const specOf = (command: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  command,
  cwd: root,
  directory: mkdtempSync(join(root, "call-")),
  marker: { name: "STENO_CALL_ID", value: `call_${process.pid}_${++calls}` },
  environment: process.env,
  ...more
})

const collect = (stream: Readable) => {
  const chunks: Array<Buffer> = []
  stream.on("data", (chunk: Buffer) => chunks.push(chunk))
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()))
  return { text: () => Buffer.concat(chunks).toString(), closed: Effect.promise(() => closed) }
}

/** Resolves with what stdout holds once it contains `text`. */
const until = (stream: Readable, text: string) =>
  Effect.callback<string>((resume) => {
    let seen = ""
    stream.on("data", (chunk: Buffer) => {
      seen += chunk.toString()
      if (seen.includes(text)) resume(Effect.succeed(seen))
    })
  })

const run = Effect.fnUntraced(function*(command: string, more: Partial<CommandSpec> = {}) {
  const host = yield* ProcessHost
  const spec = specOf(command, more)
  const running = yield* host.start(spec)
  const [stdout, stderr] = [collect(running.stdout), collect(running.stderr)]
  const exit = yield* running.exited
  yield* stdout.closed
  yield* stderr.closed
  yield* running.release
  return { exit, stdout: stdout.text(), stderr: stderr.text(), spec }
})

const begin = Effect.fnUntraced(function*(command: string, ready: string) {
  const host = yield* ProcessHost
  const running = yield* host.start(specOf(command))
  running.stderr.resume()
  const seen = yield* until(running.stdout, ready)
  return { running, seen }
})

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}
/** Its parent has become a program that collects nobody: once killed it stays a zombie. */
const beginUncollected = Effect.fnUntraced(function*() {
  const { running, seen } = yield* begin("exec sh -c 'sleep 300 & echo $!; exec sleep 299'", "\n")
  while (!(yield* running.survivors).some((survivor) => survivor.command === "sleep 299")) yield* Effect.sleep(5)
  return { running, pid: pidIn(seen) }
})

const killToZombie = Effect.fnUntraced(function*(pid: number) {
  process.kill(pid, "SIGKILL")
  while (isRunning(pid)) yield* Effect.sleep(5)
  expect(existsSync(`/proc/${pid}`)).toBe(true)
})

const pidIn = (text: string): number => Number(/\d+/.exec(text)?.[0])

it.layer(ProcessHost.layer, { excludeTestServices: true })("ProcessHost", (it) => {
  it.effect.each([
    ["exit 3", { kind: "exited", code: 3 }],
    ["set -e; false; echo not here", { kind: "exited", code: 1 }],
    ["(exit 137)", { kind: "exited", code: 137 }],
    ["kill -SEGV $$", { kind: "signalled", signal: "SIGSEGV" }],
    ["kill -KILL $$", { kind: "signalled", signal: "SIGKILL" }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }]
  ] as const)("%s ends as a plain shell would, a signal never as a number", ([command, exit]) =>
    Effect.gen(function*() {
      expect((yield* run(command)).exit).toEqual(exit)
    }))

  it.effect.each([
    ["a heredoc", "cat <<'END'\n$HOME `x`\nEND", "$HOME `x`\n"],
    ["no newline at the end", "printf a", "a"],
    ["CRLF kept as it is", "printf '%s' a\r\n", "a\r"],
    ["a word of the command counted", "pgrep -fc steno-probe-7731; true", "0\n"],
    ["an empty stdin", "read -r x; echo rc=$?", "rc=1\n"],
    ["the folder", "pwd; echo \"$PWD\"", `${root}\n${root}\n`],
    ["/dev/stderr and /dev/stdout opened anew", "echo x >/dev/stderr; echo y | tee /dev/stdout", "y\ny\n"],
    ["quotes, $0 and arguments", "basename \"$0\"; echo $#", "command.sh\n0\n"]
  ] as const)("prints what a plain shell prints: %s", ([, command, stdout]) =>
    Effect.gen(function*() {
      expect((yield* run(command)).stdout).toBe(stdout)
    }))

  it.effect("variables of its own reach a command, but do not choose the shell that runs it", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(root, "path-"))
      writeFileSync(join(folder, "bash"), "#!/bin/sh\necho another shell\n", { mode: 0o755 })
      const { stdout } = yield* run("echo \"$A:$PATH\"", { variables: { A: "1", PATH: folder } })
      expect(stdout).toBe(`1:${folder}\n`)
    }))

  it.effect("echo to /dev/stderr reaches stderr", () =>
    Effect.gen(function*() {
      expect((yield* run("echo x >/dev/stderr; echo y | tee /dev/stderr >/dev/null")).stderr).toBe("x\ny\n")
    }))

  it.effect("a command has no terminal to ask on", () =>
    Effect.gen(function*() {
      const { exit, stderr } = yield* run("cat </dev/tty")
      expect(exit).toEqual({ kind: "exited", code: 1 })
      expect(stderr).toContain("No such device or address")
    }))

  it.effect("command.sh exists with mode 0600 while the command runs and is gone after release", () =>
    Effect.gen(function*() {
      const { stdout, spec } = yield* run("stat -c %a \"$0\"")
      expect(stdout).toBe("600\n")
      expect(readdirSync(spec.directory)).toEqual([])
    }))

  it.effect("a command.sh that cannot be removed keeps nothing from ending", () =>
    Effect.gen(function*() {
      const { exit, spec } = yield* run("rm \"$0\"; mkdir \"$0\"; exit 3")
      expect(exit).toEqual({ kind: "exited", code: 3 })
      expect(readdirSync(spec.directory)).toEqual(["command.sh"])
    }))

  it.effect("a command gets the person's PATH and its own marker", () =>
    Effect.gen(function*() {
      const { stdout, spec } = yield* run("echo \"$PATH\"; echo $STENO_CALL_ID", {
        environment: { npm_execpath: "x", PATH: "/w/node_modules/.bin:/x/node-gyp-bin:/usr/bin:/bin" }
      })
      expect(stdout).toBe(`/usr/bin:/bin\n${spec.marker.value}\n`)
    }))

  it.effect("200 MiB arrive whole through the pipes", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const running = yield* host.start(specOf("head -c 209715200 /dev/zero"))
      let bytes = 0
      running.stdout.on("data", (chunk: Buffer) => bytes += chunk.length)
      running.stderr.resume()
      yield* Effect.promise(() => new Promise((resolve) => running.stdout.once("close", resolve)))
      expect(bytes).toBe(209_715_200)
      expect(yield* running.exited).toEqual({ kind: "exited", code: 0 })
    }))

  it.effect.each([
    ["an empty command", { command: " \n" }, "EINVAL", "empty"],
    ["a NUL in the command", { command: "echo a\0b" }, "EINVAL", "NUL"],
    ["a folder that does not exist", { cwd: join(root, "missing") }, "ENOENT", join(root, "missing")],
    ["a file instead of a folder", { cwd: process.execPath }, "ENOTDIR", process.execPath],
    ["a folder that is no absolute path", { cwd: "." }, "EINVAL", "absolute"],
    ["an environment that is too large", { environment: { BIG: "x".repeat(3_000_000) } }, "E2BIG", "shell"]
  ] as const)("%s: nothing starts and nothing is left", ([, more, code, words]) =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const spec = specOf("echo started", more)
      const error = yield* Effect.flip(host.start(spec))
      expect(error.reason).toMatchObject({ _tag: "CouldNotStart", code })
      expect(error.message).toContain(words)
      expect(readdirSync(spec.directory)).toEqual([])
    }))

  it.effect("an existing command.sh is not written over", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const spec = specOf("echo mine")
      writeFileSync(join(spec.directory, "command.sh"), "other")
      expect((yield* Effect.flip(host.start(spec))).reason).toMatchObject({ code: "EEXIST" })
      expect(readFileSync(join(spec.directory, "command.sh"), "utf8")).toBe("other")
    }))

  it.effect.each([
    ["in the background", "sleep 300 >/dev/null 2>&1 & echo $!"],
    ["in a session of its own", "setsid sleep 300 >/dev/null 2>&1 & echo $!"],
    ["without its environment, seen in the tree once", "env -i setsid sleep 300 >/dev/null 2>&1 & echo $!; sleep 0.4"]
  ] as const)("a child left %s is a survivor, is named and can be ended", ([, command]) =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const running = yield* host.start(specOf(command))
      const stdout = collect(running.stdout)
      running.stderr.resume()
      yield* running.exited
      yield* stdout.closed
      // The shell's child is the shell's program until it has become `sleep`.
      const survivors = yield* Effect.repeat(running.survivors, { until: ([first]) => first?.command.startsWith("sleep") === true })
      expect(survivors).toEqual([{ pid: pidIn(stdout.text()), command: "sleep 300" }])
      expect(yield* running.terminate({ grace: true })).toEqual({ kind: "confirmed" })
      expect(isRunning(pidIn(stdout.text()))).toBe(false)
      expect(yield* running.survivors).toEqual([])
    }))

  it.effect("a zombie is nobody's survivor", () =>
    Effect.gen(function*() {
      const { running, pid } = yield* beginUncollected()
      yield* killToZombie(pid)
      expect((yield* running.survivors).map((survivor) => survivor.command)).toEqual(["sleep 299"])
      yield* running.terminate({ grace: false })
    }))

  it.effect("SIGTERM comes first, so a command can clean up", () =>
    Effect.gen(function*() {
      const { running } = yield* begin("trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.02; done", "ready")
      const stdout = collect(running.stdout)
      expect(yield* running.terminate({ grace: true })).toEqual({ kind: "confirmed" })
      expect(yield* running.exited).toEqual({ kind: "exited", code: 7 })
      yield* stdout.closed
      expect(stdout.text()).toContain("cleaned")
    }))

  it.effect("a command that ignores SIGTERM is killed after the grace", () =>
    Effect.gen(function*() {
      const { running } = yield* begin("trap '' TERM; echo ready; while :; do sleep 0.05; done", "ready")
      const before = performance.now()
      expect(yield* running.terminate({ grace: true })).toEqual({ kind: "confirmed" })
      expect(performance.now() - before).toBeGreaterThanOrEqual(1_990)
      expect(yield* running.exited).toEqual({ kind: "signalled", signal: "SIGKILL" })
    }))

  it.effect("an ending without grace overtakes a graceful one", () =>
    Effect.gen(function*() {
      const { running } = yield* begin("trap 'echo got it' TERM; echo ready; while :; do sleep 0.02; done", "ready")
      const asked = until(running.stdout, "got it")
      const graceful = yield* Effect.forkChild(running.terminate({ grace: true }), { startImmediately: true })
      yield* asked
      const before = performance.now()
      expect(yield* running.terminate({ grace: false })).toEqual({ kind: "confirmed" })
      expect(performance.now() - before).toBeLessThan(1_500)
      expect(yield* Fiber.join(graceful)).toEqual({ kind: "confirmed" })
    }))

  it.effect("the root is gone while a grandchild in its own session holds the pipes: it is found and killed", () =>
    Effect.gen(function*() {
      const { running, seen } = yield* begin("setsid sh -c 'echo $$; exec sleep 300' & sleep 0.1", "\n")
      yield* running.exited
      expect(isRunning(pidIn(seen))).toBe(true)
      expect(yield* running.terminate({ grace: true })).toEqual({ kind: "confirmed" })
      expect(isRunning(pidIn(seen))).toBe(false)
    }))

  it.effect("a server that was ended leaves its port free", () =>
    Effect.gen(function*() {
      // A loopback address of this test alone, where no other program's server takes the port as soon as it is free.
      const address = `127.${(process.pid >> 8) & 255}.${process.pid & 255}.7`
      const server = `const s = require('net').createServer().listen(0, '${address}', () => console.log(s.address().port))`
      const { running, seen } = yield* begin(`"${process.execPath}" -e "${server}" & wait`, "\n")
      yield* running.terminate({ grace: true })
      const refused = yield* Effect.promise(() =>
        new Promise<string>((resolve) => {
          createConnection(pidIn(seen), address)
            .once("error", (cause) => resolve("code" in cause ? String(cause.code) : ""))
            .once("connect", () => resolve("connected"))
        })
      )
      expect(refused).toBe("ECONNREFUSED")
    }))
})

it.layer(ProcessHost.layer, { excludeTestServices: true })("identity", (it) => {
  const sleeper = Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      const child = spawn("sleep", ["300"], { stdio: "ignore", env: { STENO_CALL_ID: "call_of_a_stranger" } })
      child.once("spawn", () => resume(Effect.succeed(child.pid ?? 0)))
    }),
    (pid) => Effect.sync(() => isRunning(pid) && process.kill(pid, "SIGKILL"))
  )

  it.effect("this process is alive, another boot and another start time are dead", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const self = yield* host.self
      expect(self.pid).toBe(process.pid)
      expect(yield* host.liveness(self)).toBe("alive")
      expect(yield* host.liveness({ ...self, bootId: "another" })).toBe("dead")
      expect(yield* host.liveness({ ...self, startTime: "1" })).toBe("dead")
      expect(yield* host.liveness({ ...self, pid: 2 ** 30 })).toBe("dead")
    }))

  it.effect("a zombie owner is dead", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const { running, pid } = yield* beginUncollected()
      const identity = identityOf(pid) ?? (yield* host.self)
      expect(yield* host.liveness(identity)).toBe("alive")
      yield* killToZombie(pid)
      expect(yield* host.liveness(identity)).toBe("dead")
      yield* running.terminate({ grace: false })
    }))

  it.effect("a sweep signals nobody whose pid is the root's but whose start time is not", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const pid = yield* sleeper
      const root = { ...(yield* host.self), pid, startTime: "1" }
      const swept = yield* host.sweep({ marker: { name: "STENO_CALL_ID", value: "call_nobody" }, root })
      expect(swept).toEqual({ ended: [], ending: { kind: "confirmed" } })
      expect(isRunning(pid)).toBe(true)
    }))

  it.effect("a sweep without a root finds carriers of the marker and no others", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const pid = yield* sleeper
      const other = yield* host.sweep({ marker: { name: "STENO_CALL_ID", value: "call_of_a_strange" }, root: undefined })
      expect(other.ended).toEqual([])
      expect(isRunning(pid)).toBe(true)
      const swept = yield* host.sweep({ marker: { name: "STENO_CALL_ID", value: "call_of_a_stranger" }, root: undefined })
      expect(swept).toEqual({ ended: [{ pid, command: "sleep 300" }], ending: { kind: "confirmed" } })
      expect(isRunning(pid)).toBe(false)
    }))

  it.effect("a sweep kills the shell before its child, so that the next command does not begin", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      for (let round = 0; round < 10; round++) {
        const spec = specOf("echo ready; sleep 300; echo next >>next")
        const running = yield* host.start({ ...spec, cwd: spec.directory })
        yield* until(running.stdout, "ready")
        yield* host.sweep({ marker: spec.marker, root: running.identity })
        expect(yield* running.exited).toEqual({ kind: "signalled", signal: "SIGKILL" })
        expect(existsSync(join(spec.directory, "next"))).toBe(false)
        yield* running.release
      }
    }))

  it.effect("a sweep for a dead owner ends the verified root with its session, also members without the marker", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const { running, seen } = yield* begin("env -i sleep 300 >/dev/null 2>&1 & echo $!; sleep 300", "\n")
      const swept = yield* host.sweep({
        marker: { name: "STENO_CALL_ID", value: "call_nobody" },
        root: running.identity
      })
      expect(swept.ending).toEqual({ kind: "confirmed" })
      expect(swept.ended.map((one) => one.pid)).toContain(pidIn(seen))
      expect(isRunning(pidIn(seen))).toBe(false)
      expect(yield* running.exited).toEqual({ kind: "signalled", signal: "SIGKILL" })
    }))
})

it.live("commands beyond the limit wait until one has ended", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const running: Array<RunningCommand> = []
    for (let count = 0; count < 32; count++) {
      const one = yield* host.start(specOf("sleep 300"))
      running.push(one)
    }
    const spec = specOf("echo late")
    const late = yield* Effect.forkChild(host.start(spec), { startImmediately: true })
    yield* Effect.sleep(50)
    expect(readdirSync(spec.directory)).toEqual([])
    yield* (running[0] as RunningCommand).terminate({ grace: false })
    const started = yield* Fiber.join(late)
    expect(yield* started.exited).toEqual({ kind: "exited", code: 0 })
    yield* Effect.forEach(running, (one) => Effect.andThen(one.terminate({ grace: false }), one.release), {
      concurrency: "unbounded"
    })
  }).pipe(Effect.provide(ProcessHost.layer)))

it.live("nothing stays open when the layer is closed", () =>
  Effect.gen(function*() {
    const temporary = mkdtempSync(join(root, "tmp-"))
    vi.stubEnv("TMPDIR", temporary)
    const before = readdirSync("/proc/self/fd").length
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(ProcessHost.layer, scope)
    yield* Effect.provide(Effect.forEach([1, 2, 3, 4, 5], () => run("true"), { discard: true }), context)
    yield* Scope.close(scope, Exit.void)
    while (readdirSync(temporary).length > 0 || readdirSync("/proc/self/fd").length > before) yield* Effect.sleep(5)
    vi.unstubAllEnvs()
  }))

it.live("where no pipe can be made, stock pipes carry the output", () =>
  Effect.gen(function*() {
    vi.stubEnv("TMPDIR", join(root, "no such folder"))
    expect(yield* run("echo out; echo err >&2")).toMatchObject({ stdout: "out\n", stderr: "err\n" })
    vi.unstubAllEnvs()
  }).pipe(Effect.provide(ProcessHost.layer)))
