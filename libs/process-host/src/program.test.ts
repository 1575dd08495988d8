import { expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { identityOf } from "./process-liveness.ts"
import { ProcessHost, type ProgramSpec } from "./process-host.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "program-")))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const environment = { ...process.env, STENO_KEY: "secret", npm_config_x: "1", GREETING: "hello" }
let programs = 0
const specOf = (script: string, more: Partial<ProgramSpec> = {}): ProgramSpec => ({
  path: "/bin/sh",
  arguments: ["-c", script],
  cwd: root,
  marker: { name: "STENO_TURN_ID", value: `turn_${process.pid}_${++programs}` },
  environment,
  ...more
})

const line = (stream: NodeJS.ReadableStream) =>
  Effect.callback<string>((resume) => {
    let seen = ""
    stream.on("data", (chunk: Buffer) => {
      seen += chunk.toString()
      if (seen.includes("\n")) resume(Effect.succeed(seen.slice(0, seen.indexOf("\n"))))
    })
  })

const claim = (title: string, test: () => Effect.Effect<unknown, unknown, ProcessHost>) =>
  it.live(title, () => Effect.provide(test(), ProcessHost.layer))

claim("a program is spoken to over its streams, and its status is collected", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const program = yield* host.startProgram(specOf("read said; echo \"heard $said\"; exit 3"))
    program.stdin.write("this\n")
    expect(yield* line(program.stdout)).toBe("heard this")
    expect(yield* program.exited).toEqual({ kind: "exited", code: 3 })
    program.stdin.write("nobody reads this\n")
    yield* program.release
  }))

claim("a program gets the person's environment with its marker, and nothing of the tools that started us", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const spec = specOf("echo \"$GREETING|$STENO_KEY|$npm_config_x|$EXTRA|$TERM|$STENO_TURN_ID\"", {
      environment: { ...environment, TERM: "xterm" },
      variables: { EXTRA: "more" }
    })
    const program = yield* host.startProgram(spec)
    expect(yield* line(program.stdout)).toBe(`hello|||more|xterm|${spec.marker.value}`)
    yield* program.exited
    yield* program.release
  }))

claim("ending a program ends what it started in a session of its own", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const program = yield* host.startProgram(specOf("setsid sleep 600 & echo $!; wait"))
    const child = identityOf(Number(yield* line(program.stdout)))
    expect(yield* program.terminate({ grace: false })).toEqual({ kind: "confirmed" })
    expect(child === undefined ? "never seen" : yield* host.liveness(child)).toBe("dead")
    expect(yield* program.exited).toEqual({ kind: "signalled", signal: "SIGKILL" })
  }))

claim("what cannot start says why", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    for (const more of [{ path: join(root, "none") }, { path: "none" }, { cwd: join(root, "none") }]) {
      expect(Exit.isFailure(yield* Effect.exit(host.startProgram(specOf("true", more))))).toBe(true)
    }
  }))

claim("a name is looked for in the person's PATH, a path beside the folder; links are followed", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const [first, second] = [join(root, "first"), join(root, "second")]
    for (const folder of [first, second]) mkdirSync(folder)
    writeFileSync(join(first, "agent"), "not a program")
    chmodSync(join(first, "agent"), 0o600)
    writeFileSync(join(second, "agent-1"), "#!/bin/sh\n")
    chmodSync(join(second, "agent-1"), 0o700)
    symlinkSync("agent-1", join(second, "agent"))
    const search = (program: string, PATH: string) => host.locate(program, { cwd: second, environment: { PATH } })
    expect(yield* search("agent", `${first}:${second}`)).toMatchObject({
      kind: "found",
      path: join(second, "agent"),
      realPath: join(second, "agent-1"),
      sizeBytes: 10
    })
    expect(yield* search("./agent-1", "")).toMatchObject({ kind: "found", path: join(second, "agent-1") })
    expect(yield* search("agent", first)).toEqual({ kind: "not-executable", path: join(first, "agent"), code: "EACCES" })
    expect(yield* search("other", `${first}:${second}`)).toEqual({ kind: "not-found" })
    expect(yield* search("agent-1/agent", second)).toEqual({ kind: "not-found" })
  }))
