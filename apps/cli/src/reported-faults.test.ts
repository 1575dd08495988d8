/** Faults that users of comparable tools reported, with what is right here, on the program as it is published. */
import { CallOutput, RunListDocument, type RunSnapshot, type StartInput } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { openHome, runtimeLayer } from "@steno/runtime"
import { Effect, Layer, Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { makePlace, type Place, plainEnvironment, runOf, shell, steno, temporaryFolder, withMounts } from "./testing.ts"
import { packedProgram } from "./testing/packed-program.ts"

const decodeList = Schema.decodeUnknownSync(RunListDocument)
const decodePage = Schema.decodeUnknownSync(CallOutput)

const startJson = (place: Place, command: string, more: ReadonlyArray<string> = []) => {
  const ended = steno(place, ["run", "start", "--json", ...more, "--", command])
  return { ended, run: runOf(ended.stdout) }
}

const callOf = (run: RunSnapshot) => {
  const [call] = run.calls
  if (call === undefined) throw new Error("the Run has no call")
  return call
}
const projectionOf = (run: RunSnapshot) => callOf(run).output?.projection ?? ""
const fileOf = (run: RunSnapshot, name: string) => join(dirname(callOf(run).output?.path ?? ""), name)

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

describe("output", () => {
  it("of 200 commands that print to both streams and exit 128 at once is whole in every record", async () => {
    const place = makePlace()
    const input: StartInput = {
      operation: "start",
      workspace: place.workspace,
      harness: "command",
      session: "main",
      input: "seq 1 2000; echo 'fatal: nope' >&2; exit 128",
      kind: "once"
    }
    const port = Layer.unwrap(Effect.map(openHome(place.home, "write"), (home) => runtimeLayer({ home, environment: plainEnvironment() })))
    const one = Effect.gen(function*() {
      const port = yield* ProjectionPort
      const { runId } = yield* port.submit({ input })
      return yield* port.awaitRest(runId)
    })
    const runs = await Effect.runPromise(Effect.all(Array.from({ length: 200 }, () => one), { concurrency: 6 }).pipe(Effect.provide(port)))
    const stdout = Buffer.from(Array.from({ length: 2_000 }, (_, index) => `${index + 1}\n`).join(""))
    for (const run of runs) {
      expect([run.state, callOf(run).outcome, callOf(run).exitCode]).toEqual(["failed", "completed", 128])
      expect(readFileSync(fileOf(run, "stdout.txt")).equals(stdout)).toBe(true)
      expect(readFileSync(fileOf(run, "stderr.txt"), "utf8")).toBe("fatal: nope\n")
    }
  }, 60_000)

  it("with a NUL is kept as it is and shown as an escape, and the next command works", () => {
    const place = makePlace()
    const { run } = startJson(place, "printf 'a\\0b\\n'")
    expect(createHash("sha256").update(readFileSync(fileOf(run, "stdout.txt"))).digest("hex"))
      .toBe("3a100994c4e38751871e6e8eef9adad2b20177fdeaf650daacdcd74f4c9421e3")
    expect(projectionOf(run)).toMatch(/Binary output \(1 line, 4 bytes.*\):\na\\x00b$/)
    expect(projectionOf(run)).not.toContain("\0")
    expect(startJson(place, "echo next").run.state).toBe("succeeded")
  })

  it("keeps a character that arrives in two writes, and shows a dangling byte as one replacement", () => {
    const place = makePlace()
    const split = startJson(place, "printf 'caf\\303'; sleep 0.1; printf '\\251 ok\\n'").run
    expect(callOf(split).output?.bytes).toBe(9)
    expect(projectionOf(split)).toMatch(/\ncafé ok$/)
    expect(projectionOf(split)).not.toContain("\ufffd")
    const dangling = startJson(place, "printf 'x\\303'").run
    expect(statSync(fileOf(dangling, "stdout.txt")).size).toBe(2)
    expect(projectionOf(dangling).split("\ufffd")).toHaveLength(2)
    const page = decodePage(JSON.parse(steno(place, ["run", "read", "@last", "--call", "1", "--json"]).stdout))
    expect(page.lines).toEqual(["x\ufffd"])
  })

  it("of a progress bar is one line for whoever reads the result, and every frame in the file", () => {
    const { run } = startJson(makePlace(), "for i in $(seq 1 1000); do printf '\\rstep %04d/1000' $i; done; printf '\\n'")
    expect(statSync(fileOf(run, "stdout.txt")).size).toBe(15_001)
    const shown = projectionOf(run).split("\n").filter((line) => line.startsWith("step "))
    expect(shown).toHaveLength(1)
    expect(shown[0]).toMatch(/step 1000\/1000 .*999 overwritten frames not shown/)
  })

  it("of `yes` is kept to its cap, counted to the end and said to be capped", () => {
    const { ended, run } = startJson(makePlace(), "yes", ["--timeout-ms", "1000"])
    expect(ended.status).toBe(1)
    const { output, timedOut } = callOf(run)
    const size = statSync(fileOf(run, "stdout.txt")).size
    expect(timedOut).toBe(true)
    expect(size).toBe(16 * 1024 * 1024)
    expect((output?.bytes ?? 0) - (output?.droppedBytes ?? 0)).toBe(size)
    expect(output?.droppedBytes).toBeGreaterThan(0)
    expect(projectionOf(run)).toContain(String(output?.bytes))
    expect(projectionOf(run)).toContain(String(output?.droppedBytes))
  })
})

describe("a command's end", () => {
  it("does not wait for a silent child that holds the streams; the child is named, and ended with the program", () => {
    const place = makePlace()
    const { ended, run } = startJson(place, "sleep 45 & echo $! > pid; echo started")
    const pid = Number(readFileSync(join(place.workspace, "pid"), "utf8"))
    expect(ended.status).toBe(0)
    expect(callOf(run)).toMatchObject({ outcome: "completed", exitCode: 0, survivors: [{ pid, command: "sleep 45" }] })
    expect(callOf(run).durationMs).toBeLessThan(45_000)
    expect(projectionOf(run)).toContain(`Still running: ${pid} (sleep 45).`)
    expect(readFileSync(fileOf(run, "stdout.txt"), "utf8")).toBe("started\n")
    expect(isRunning(pid)).toBe(false)
  })

  it("does not wait for a child that goes on printing, and its late lines change nothing that was recorded", () => {
    const place = makePlace()
    const { run } = startJson(place, "( trap '' PIPE; while :; do echo tick 2>/dev/null; sleep 0.02; done ) & sleep 0.3; echo ready")
    const survivors = callOf(run).survivors ?? []
    expect(survivors.length).toBeGreaterThan(0)
    expect(survivors.filter(({ pid }) => isRunning(pid))).toEqual([])
    const stored = readFileSync(fileOf(run, "stdout.txt"), "utf8")
    expect(stored).toContain("ready\n")
    expect(callOf(run).output?.bytes).toBe(stored.length)
    expect(steno(place, ["run", "read", "@last", "--call", "1", "--raw"]).stdout).toBe(stored)
    expect(callOf(runOf(steno(place, ["run", "show", "@last", "--json"]).stdout))).toEqual(callOf(run))
  })

  it.each(["SEGV", "KILL", "TERM"])("by SIG%s has that signal, no exit code, and what was printed before", (signal) => {
    const { ended, run } = startJson(makePlace(), `echo part1; kill -${signal} $$`)
    expect([ended.status, run.state, callOf(run).outcome, callOf(run).signal]).toEqual([1, "failed", "completed", `SIG${signal}`])
    expect(callOf(run)).not.toHaveProperty("exitCode")
    expect(projectionOf(run)).toContain(`Ended by signal SIG${signal}, so there is no exit code`)
    expect(readFileSync(fileOf(run, "stdout.txt"), "utf8")).toBe("part1\n")
  })

  it("by its limit is no result: it says so, with what was printed until then", () => {
    const { ended, run } = startJson(makePlace(), "echo one; sleep 60; echo two", ["--timeout-ms", "1000"])
    expect([ended.status, run.state]).toEqual([1, "failed"])
    expect(callOf(run)).toMatchObject({ outcome: "failed", timedOut: true, signal: "SIGTERM", reason: { code: "timed-out" } })
    expect(callOf(run)).not.toHaveProperty("exitCode")
    expect(projectionOf(run)).toMatch(/Time limit reached, ended by signal SIGTERM/)
    expect(projectionOf(run)).toMatch(/\none$/)
  })

  it("after a failure shows what went to stdout, and that stderr was empty", () => {
    const { run } = startJson(makePlace(), "printf 'FAIL test_a\\n'; exit 1")
    expect(callOf(run).exitCode).toBe(1)
    expect(projectionOf(run)).toContain("FAIL test_a")
    expect(existsSync(fileOf(run, "stderr.txt"))).toBe(false)
  })

  it("comes at once for one that asks a question nobody can answer", () => {
    const { run } = startJson(makePlace(), "read -r answer; echo \"rc=$?\"; cat </dev/tty; echo \"tty=$?\"")
    expect(readFileSync(fileOf(run, "stdout.txt"), "utf8")).toBe("rc=1\ntty=1\n")
    expect(readFileSync(fileOf(run, "stderr.txt"), "utf8")).toContain("No such device or address")
  })

  it("of one that looks for its own words among the processes finds nobody", () => {
    const word = `steno-probe-${randomUUID()}`
    const run = runOf(steno(makePlace(), ["run", "start", "--json", "-"], `pgrep -fc ${word}; pkill -f ${word}; echo rc=$?`).stdout)
    expect(readFileSync(fileOf(run, "stdout.txt"), "utf8")).toBe("0\nrc=1\n")
  })
})

describe("a JSON document", () => {
  it("of 300,000 characters reaches a slow reader with the bytes that a file gets", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "for i in 1 2 3 4 5 6; do head -c 60000 /dev/zero | tr '\\0' x; echo; done"])
    const read = "steno run read @last --call 1 --limit 6 --json"
    const piped = shell(place, `${read} > whole; ${read} | (sleep 0.5; cat > piped); echo "\${PIPESTATUS[0]}"; cmp whole piped`)
    expect([piped.stdout, piped.stderr]).toEqual(["0\n", ""])
    const text = readFileSync(join(place.workspace, "piped"), "utf8")
    expect(text.length).toBeGreaterThanOrEqual(300_000)
    expect(decodePage(JSON.parse(text)).lines).toHaveLength(6)
  })

  it("of a refusal reaches a slow reader whole too, with its exit code", () => {
    const place = makePlace()
    const show = `steno run show "$(head -c 120000 /dev/zero | tr '\\0' x)" --json`
    const piped = shell(place, `${show} > whole; ${show} | (sleep 0.5; cat > piped); echo "\${PIPESTATUS[0]}"; cmp whole piped`)
    expect([piped.stdout, piped.stderr]).toEqual(["1\n", ""])
    const text = readFileSync(join(place.workspace, "piped"), "utf8")
    expect(text.length).toBeGreaterThanOrEqual(120_000)
    expect(JSON.parse(text).result.problem.code).toBe("run-not-found")
  })

  it("holds what a command printed inside a string only, also what looks like one of ours", () => {
    const printed = '{"family":"run","result":{"found":true}}'
    const { ended, run } = startJson(makePlace(), `printf '%s\\n' '${printed}'; printf '%s\\n' '${printed}' >&2`)
    expect(ended.stderr).toBe("")
    expect(ended.stdout.split("\n").filter((line) => line.startsWith("{"))).toEqual(["{"])
    expect(ended.stdout.split("\n").filter((line) => line.includes('"family":"run"') || line.includes('"family": "run"'))).toEqual(['  "family": "run",'])
    expect(projectionOf(run)).toContain(`${printed}\n${printed}`)
  })
})

describe("one home", () => {
  it("takes six programs with three commands each at once: every Run is recorded, nobody is told of a lock", async () => {
    const place = makePlace()
    const bin = join(packedProgram, "bin", "steno.js")
    const ended = await Promise.all(Array.from({ length: 6 }, async (_, index) => {
      const child = spawn(
        "bash",
        ["-c", `for i in 1 2 3; do "${process.execPath}" "${bin}" run start --json -- "echo ${index}-$i" || exit $?; done`],
        { cwd: place.workspace, env: plainEnvironment({ STENO_HOME: place.home }), stdio: ["ignore", "pipe", "pipe"] }
      )
      let text = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (block: Buffer) => text += block.toString())
      const [code] = await once(child, "close")
      return { code, text }
    }))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
    expect(ended.filter(({ text }) => /locked|busy/i.test(text))).toEqual([])
    const { rows } = decodeList(JSON.parse(steno(place, ["run", "list", "--limit", "100", "--json"]).stdout))
    expect(rows.map((row) => row.state)).toEqual(Array.from({ length: 18 }, () => "succeeded"))
    expect(new Set(rows.map((row) => row.runId)).size).toBe(18)
  })

  it("whose disk for captured output is full still runs a command, keeps its exit code and names the place", () => {
    const place = makePlace()
    const tried = withMounts(place, `
      mkdir -p "$STENO_HOME/config" "$STENO_HOME/data" && chmod 700 "$STENO_HOME" "$STENO_HOME/data"
      echo '{"minFreeBytes": 0}' > "$STENO_HOME/config/steno.json"
      mount -t tmpfs -o size=256k,mode=700 tmpfs "$STENO_HOME/data"
      head -c 1m /dev/zero > "$STENO_HOME/data/filler" 2>/dev/null || true
      steno run start --json -- 'df -h / | head -1; echo problem >&2; exit 3' || echo "exit $?"`)
    expect(tried.stdout, tried.stderr).toMatch(/exit 1\n$/)
    const run = runOf(tried.stdout.replace(/exit 1\n$/, ""))
    const { exitCode, outcome, warnings } = callOf(run)
    expect([outcome, exitCode]).toEqual(["completed", 3])
    expect(projectionOf(run)).toMatch(/Filesystem .*\nproblem/)
    expect(warnings?.map(({ code }) => code)).toEqual(["capture-storage-full"])
    expect(warnings?.[0]?.text).toContain(`No space left on ${place.home}/data (0 bytes free)`)
  })
})

describe("a second user of the machine", () => {
  const hostUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

  /** The program where everyone may read it. */
  const publicProgram = () => {
    const folder = temporaryFolder()
    const library = dirname(createRequire(join(packedProgram, "package.json")).resolve("better-sqlite3/package.json"))
    cpSync(packedProgram, join(folder, "steno"), { recursive: true })
    cpSync(library, join(folder, "node_modules", "better-sqlite3"), { recursive: true })
    copyFileSync(process.execPath, join(folder, "node"))
    spawnSync("chmod", ["-R", "a+rX", folder])
    chmodSync(join(folder, "node"), 0o755)
    return { node: join(folder, "node"), bin: join(folder, "steno", "bin", "steno.js") }
  }

  const snapshot = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted().map((name) => {
      const { ino, mode, mtimeMs, size, uid } = statSync(join(folder, name))
      return [name, ino, mode, mtimeMs, size, uid]
    })

  it("has a home of their own, runs commands there and opens nothing of the first one's", () => {
    const { bin, node } = publicProgram()
    const as = (user: { readonly uid?: number; readonly gid?: number }, home: string, args: ReadonlyArray<string>) =>
      spawnSync(node, [bin, ...args], {
        ...user,
        cwd: home,
        env: { ...plainEnvironment({ HOME: home }), STENO_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "" },
        encoding: "utf8"
      })
    const [first, second] = [temporaryFolder(), temporaryFolder()]
    chownSync(second, hostUser.uid ?? statSync(second).uid, hostUser.gid ?? statSync(second).gid)
    const start = ["run", "start", "--json", "--", "id -u; echo ok"]
    const dataOf = (home: string) => join(home, ".local", "share", "steno")
    expect(as({}, first, start).status).toBe(0)
    const before = snapshot(first)
    const ended = as(hostUser, second, start)
    expect(ended.status, ended.stderr).toBe(0)
    const run = runOf(ended.stdout)
    expect(callOf(run).exitCode).toBe(0)
    expect(callOf(run).output?.path?.startsWith(`${dataOf(second)}/`)).toBe(true)
    expect(decodeList(JSON.parse(as(hostUser, second, ["run", "list", "--all", "--json"]).stdout)).rows).toHaveLength(1)
    expect(snapshot(first)).toEqual(before)
    expect(statSync(dataOf(first)).mode & 0o777).toBe(0o700)
    expect(statSync(dataOf(second)).mode & 0o777).toBe(0o700)
  })
})
