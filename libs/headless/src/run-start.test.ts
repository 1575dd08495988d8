import { describe, expect, it } from "@effect/vitest"
import type { RunState, StartInput } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { makeRunSnapshot, makeTestProblem, memoryPort, testIds } from "@steno/projection-port/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { AdmittedRun } from "./headless-ports.ts"
import { runSteno } from "./testing.ts"

const recordingPort = (state: RunState = "succeeded", defaultHarness = "command") => {
  const started: Array<StartInput> = []
  return {
    started,
    port: memoryPort({
      defaultHarness,
      start: (input, runId) =>
        Effect.sync(() => {
          started.push(input)
          return makeRunSnapshot({ runId, state, workspacePath: input.workspace })
        })
    })
  }
}

const submitted = Effect.fnUntraced(function*(args: ReadonlyArray<string>, surroundings: { readonly stdin?: string } = {}) {
  const { port, started } = recordingPort()
  const { exitCode } = yield* runSteno(["run", "start", ...args], { port, cwd: "/home/me/app", ...surroundings })
  expect(exitCode).toBe(0)
  expect(started).toHaveLength(1)
  return started[0]
})

describe("what run start submits", () => {
  it.effect("words become one input joined by one space, and every default is filled in", () =>
    Effect.gen(function*() {
      expect(yield* submitted(["echo", "a  b", "c"])).toEqual({
        operation: "start",
        workspace: "/home/me/app",
        harness: "command",
        session: "main",
        input: "echo a  b c",
        kind: "once"
      })
    }))

  it.effect("everything after the first -- is input, also what looks like an option", () =>
    Effect.gen(function*() {
      const input = yield* submitted(["--entry", "--", "npm", "test", "--", "--json", "--help", "-x"])
      expect(input).toMatchObject({ input: "npm test -- --json --help -x", entry: true })
    }))

  it.effect("a switch never takes the next word as its value", () =>
    Effect.gen(function*() {
      expect(yield* submitted(["--entry", "yes"])).toMatchObject({ input: "yes", entry: true })
      expect(yield* submitted(["--json", "0"])).toMatchObject({ input: "0" })
    }))

  it.effect("shell characters, quotes and newlines arrive unchanged", () =>
    Effect.gen(function*() {
      const command = "printf '%s\\n' \"$HOME\" `id` *\nsecond 'line'"
      expect(yield* submitted(["--", command])).toMatchObject({ input: command })
    }))

  it.effect("- alone is replaced by stdin, beside other words it is a word", () =>
    Effect.gen(function*() {
      expect(yield* submitted(["-"], { stdin: "make\nmake check\n" })).toMatchObject({ input: "make\nmake check\n" })
      expect(yield* submitted(["--", "cat", "-"], { stdin: "unused" })).toMatchObject({ input: "cat -" })
    }))

  it.effect("stdin arrives to the byte, a byte order mark included", () =>
    Effect.gen(function*() {
      const text = "\ufeffecho \u{1f642}\r\n\u0000"
      expect(yield* submitted(["-"], { stdin: text })).toMatchObject({ input: text })
    }))

  it.effect("a Session's name has up to 64 characters", () =>
    Effect.gen(function*() {
      const name = "\u{1f642}".repeat(64)
      expect(yield* submitted(["--session", name, "x"])).toMatchObject({ session: name })
    }))

  it.effect.each<readonly [string, string]>([
    ["sub/dir", "/home/me/app/sub/dir"],
    ["../other/", "/home/me/other"],
    ["/abs/./x", "/abs/x"]
  ])("workspace %s is %s", ([typed, absolute]) =>
    Effect.gen(function*() {
      expect(yield* submitted(["--workspace", typed, "x"])).toMatchObject({ workspace: absolute })
    }))

  it.effect("session, harness and limit are passed on", () =>
    Effect.gen(function*() {
      expect(yield* submitted(["--session", "s1", "--harness", "command", "--timeout-ms", "86400000", "x"])).toMatchObject({
        session: "s1",
        harness: "command",
        timeoutMs: 86_400_000
      })
    }))

  it.effect("what an agent is told is passed on", () =>
    Effect.gen(function*() {
      const options = ["--harness", "hosted", "--model", "script:demo.json", "--effort", "high", "--approvals", "ask", "--agent-calls", "review", "--interactive"]
      expect(yield* submitted([...options, "--", "mend it"])).toEqual({
        operation: "start",
        workspace: "/home/me/app",
        harness: "hosted",
        model: "script:demo.json",
        effort: "high",
        session: "main",
        input: "mend it",
        kind: "interactive",
        approvals: "ask",
        agentCalls: "review"
      })
    }))

  it.effect("repeating an operation id shows the same Run and starts nothing", () =>
    Effect.gen(function*() {
      const { port, started } = recordingPort()
      const shared = Layer.succeed(ProjectionPort, yield* ProjectionPort.pipe(Effect.provide(port)))
      const args = ["run", "start", "--json", "--operation-id", "ci:1", "--", "true"]
      const first = yield* runSteno(args, { port: shared })
      const second = yield* runSteno(args, { port: shared })
      expect(second).toEqual(first)
      expect(started).toHaveLength(1)
    }))
})

describe("what run start refuses before the Port is asked", () => {
  it.effect.each([
    [["--", " \t\n "], "input-blank"],
    [["--timeout-ms", "0", "x"], "limit-invalid"],
    [["--timeout-ms", "86400001", "x"], "limit-invalid"]
  ] as const)("%j is %s with exit 1 and a bare Problem document", ([args, code]) =>
    Effect.gen(function*() {
      const { port, started } = recordingPort()
      const { exitCode, stdout } = yield* runSteno(["run", "start", "--json", ...args], { port })
      expect(JSON.parse(stdout)).toMatchObject({ code, possibleEffects: "none" })
      expect({ exitCode, started }).toEqual({ exitCode: 1, started: [] })
    }))

  it.effect.each([
    ["a byte that begins nothing", [0x65, 0xff]],
    ["a cut-off character", [0x65, 0xe2, 0x82]],
    ["a surrogate", [0xed, 0xa0, 0x80]]
  ] as const)("stdin that is no UTF-8 (%s) is wrong usage, and nothing runs", ([_what, bytes]) =>
    Effect.gen(function*() {
      const { port, started } = recordingPort()
      const { exitCode, stderr } = yield* runSteno(["run", "start", "-"], { port, stdin: Uint8Array.from(bytes) })
      expect(stderr).toMatch(/^Error \[usage-invalid\]: INPUT on stdin is not valid UTF-8/)
      expect({ exitCode, started }).toEqual({ exitCode: 64, started: [] })
    }))

  it.effect.each([
    [["--session", "a/b"], 64],
    [["--harness", "command", "--model", "m"], 64],
    [["--timeout-ms", "0"], 1],
    [["--operation-id", "two words"], 64]
  ] as const)("%j is refused before stdin is read", ([options, expected]) =>
    Effect.gen(function*() {
      const stdin = Effect.die(new Error("stdin was read"))
      const { exitCode } = yield* runSteno(["run", "start", ...options, "-"], { port: recordingPort().port, stdin })
      expect(exitCode).toBe(expected)
    }))

  it.effect("what an agent is told is refused where the home takes commands, and passed on where it takes an agent", () =>
    Effect.gen(function*() {
      const args = ["run", "start", "--model", "script:s.json", "--", "x"]
      const { port, started } = recordingPort()
      const { exitCode, stderr } = yield* runSteno(args, { port })
      expect(stderr).toContain("The harness command, taken without --harness, runs INPUT as it is, without a model: --model would mean nothing.\n")
      expect({ exitCode, started }).toEqual({ exitCode: 64, started: [] })
      const agents = recordingPort("succeeded", "hosted")
      yield* runSteno(args, { port: agents.port })
      expect(agents.started).toMatchObject([{ harness: "hosted", model: "script:s.json" }])
    }))

  it.effect("blank stdin is refused like a blank argument", () =>
    Effect.gen(function*() {
      const { port } = recordingPort()
      const { exitCode, stderr } = yield* runSteno(["run", "start", "-"], { port, stdin: "\n" })
      expect(stderr).toMatch(/^Error \[input-blank\]: /)
      expect(exitCode).toBe(1)
    }))
})

describe("how run start ends", () => {
  it.effect.each([
    ["succeeded", 0],
    ["blocked", 2],
    ["failed", 1],
    ["halted", 1],
    ["cancelled", 1]
  ] as const)("a Run that rests %s exits %i", ([state, expected]) =>
    Effect.gen(function*() {
      const { port } = recordingPort(state)
      const { exitCode, stdout } = yield* runSteno(["run", "start", "x"], { port })
      expect(stdout).toContain(`: ${state}\n`)
      expect(exitCode).toBe(expected)
    }))

  it.effect("a start that the Port refuses is a bare Problem document", () =>
    Effect.gen(function*() {
      const port = memoryPort({ start: () => Effect.fail(makeTestProblem("harness-unknown", "No Harness x.")) })
      const { exitCode, stdout } = yield* runSteno(["run", "start", "--json", "--harness", "x", "y"], { port })
      expect(JSON.parse(stdout)).toMatchObject({ code: "harness-unknown" })
      expect(exitCode).toBe(1)
    }))

  it.effect("a Problem after admission names the Run it belongs to", () =>
    Effect.gen(function*() {
      const port = memoryPort({ awaitRest: () => Effect.fail(makeTestProblem("storage-failed", "The disk is gone.")) })
      const { exitCode, stdout } = yield* runSteno(["run", "start", "--json", "y"], { port })
      expect(JSON.parse(stdout)).toMatchObject({
        family: "run",
        runId: testIds.run(1),
        result: { found: false, problem: { code: "storage-failed" } }
      })
      expect(exitCode).toBe(1)
    }))

  it.effect("the admitted Run is told before the wait, and the wait can be interrupted", () =>
    Effect.gen(function*() {
      const waiting = yield* Deferred.make<string>()
      const port = memoryPort({ awaitRest: (run) => Effect.andThen(Deferred.succeed(waiting, run.runId), Effect.never) })
      const told: Array<string> = []
      const fiber = yield* runSteno(["run", "start", "y"], { port }).pipe(
        Effect.provideService(AdmittedRun, (runId) => Effect.sync(() => void told.push(runId))),
        Effect.forkChild
      )
      expect(yield* Deferred.await(waiting)).toBe(testIds.run(1))
      expect(told).toEqual([testIds.run(1)])
      yield* Fiber.interrupt(fiber)
    }))
})
