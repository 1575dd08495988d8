import { describe, expect, it } from "@effect/vitest"
import { Problem } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { makeTestProblem, memoryPort } from "@steno/projection-port/testing"
import { Effect, Layer, Schema } from "effect"
import { wrongAgentLines } from "./testing/wrong-agent-lines.ts"
import { wrongLines } from "./testing/wrong-lines.ts"
import { runSteno } from "./testing.ts"

const closedPort = Layer.effect(
  ProjectionPort,
  Effect.die(new Error("the home was opened although no command needed it"))
)

describe("wrong usage", () => {
  it.effect.each([...wrongLines, ...wrongAgentLines])("%j exits 64 and says on stderr alone what is wrong", ([args, explanation, remediation]) =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(args, { port: closedPort })
      expect(stderr).toBe(`Error [usage-invalid]: ${explanation}\nRemediation: ${remediation}\n`)
      expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: "" })
    }))

  it.effect.each<ReadonlyArray<string>>([
    ["run", "start", "--json", "--nope"],
    ["run", "show", "--json"],
    ["run", "read", "x", "--call", "1", "--raw", "--json"],
    ["run", "list", "--json", "--limit", "many"],
    ["run", "start", "--session", "--json", "x"],
    ["run", "start", "--json", "--json", "x"],
    ["run", "show", "", "--json=true"]
  ])("%j is one Problem document on stdout when --json is among the words", (args) =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(args, { port: closedPort })
      const problem = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))(stdout)
      expect(problem).toMatchObject({ code: "usage-invalid", possibleEffects: "none" })
      expect(stdout).toBe(`${JSON.stringify(problem, null, 2)}\n`)
      expect({ exitCode, stderr }).toEqual({ exitCode: 64, stderr: "" })
    }))

  it.effect.each<readonly [args: ReadonlyArray<string>, fields: ReadonlyArray<string>]>([
    [["run", "start", "--json", "--nope", "-l", "--", "x"], ["nope", "l"]],
    [["run", "start", "--json"], ["INPUT"]],
    [["run", "start", "--json", "--harness", "command", "--model", "m", "--effort", "e", "x"], ["harness", "model", "effort"]],
    [["run", "start", "--json", "--session", "a/b", "x"], ["session"]],
    [["run", "show", "--json", ""], ["RUN"]],
    [["run", "read", "x", "--json", "--call", "1", "--raw"], ["raw", "json"]],
    [["run", "answer", "x", "--json", "--allow", "--text", "t"], ["allow", "text"]],
    [["run", "answer", "x", "--json", "--answer", "q"], ["answer"]],
    [["run", "cancel", "x", "--json", "--operation-id", "two words"], ["operation-id"]]
  ])("%j names the options and arguments that are wrong: %j", ([args, fields]) =>
    Effect.gen(function*() {
      const { stdout } = yield* runSteno(args, { port: closedPort })
      const { explanation, fieldViolations = [] } = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))(stdout)
      expect(fieldViolations.map(({ field }) => field)).toEqual(fields)
      for (const violation of fieldViolations) expect(explanation).toContain(violation.explanation)
    }))

  it.effect("--json=false asks for none, and neither does --json for the word after it", () =>
    Effect.gen(function*() {
      const said = yield* runSteno(["run", "list", "--json=false"], { port: memoryPort() })
      expect(said).toMatchObject({ exitCode: 0, stdout: "No Runs in /workspace.\n" })
      const swallowed = yield* runSteno(["run", "list", "--json", "false"], { port: closedPort })
      expect(JSON.parse(swallowed.stdout)).toMatchObject({ code: "usage-invalid", explanation: `Unexpected argument "false".` })
    }))

  it.effect("a --json behind the first -- asks for nothing", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(["run", "start", "--nope", "--", "x", "--json"], {
        port: closedPort
      })
      expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: "" })
      expect(stderr).toContain("Unknown option --nope.")
    }))

  it.effect.each([
    "--wizard",
    "--completions",
    "--log-level",
    "--no-interactive",
    "--no-json"
  ])("run start does not offer %s", (option) =>
    Effect.gen(function*() {
      const { exitCode, stderr } = yield* runSteno(["run", "start", option, "--", "x"], { port: closedPort })
      expect(stderr).toContain(`Unknown option ${option}.`)
      expect(exitCode).toBe(64)
    }))

})

describe("help", () => {
  it.effect.each<ReadonlyArray<string>>([
    ["run"],
    ["run", "start"],
    ["run", "show"],
    ["run", "list"],
    ["run", "read"],
    ["run", "cancel"],
    ["run", "delete"],
    ["run", "export"],
    ["run", "answer"],
    ["run", "send"],
    ["run", "resume"],
    ["run", "steer"],
    ["run", "interrupt"],
    ["run", "end"],
    ["harness"],
    ["harness", "list"],
    ["harness", "check"]
  ])("%j --help prints usage and one example on stdout and opens no home", (path) =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno([...path, "--help"], { port: closedPort })
      const lines = stdout.split("\n")
      expect(lines[0]).toMatch(new RegExp(`^Usage: steno ${path.join(" ")} `))
      const example = lines.indexOf("Example:")
      expect(lines.slice(example + 1)).toEqual([expect.stringMatching(/^ {2}steno (?:run|harness) /), ""])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))

  it.effect("the usage line names what is required", () =>
    Effect.gen(function*() {
      const { stdout } = yield* runSteno(["run", "read", "-h"], { port: closedPort })
      expect(stdout.split("\n")[0]).toBe("Usage: steno run read [OPTIONS] RUN[/SESSION]")
    }))

  it.effect("--help wins over other mistakes on the line", () =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* runSteno(["run", "start", "--nope", "--help"], { port: closedPort })
      expect(stdout).toMatch(/^Usage: steno run start/)
      expect(exitCode).toBe(0)
    }))

  it.effect("--version prints name and version", () =>
    Effect.gen(function*() {
      expect(yield* runSteno(["--version"], { port: closedPort })).toMatchObject({ exitCode: 0, stdout: "steno 1.2.3\n" })
    }))
})

describe("a home that cannot be opened", () => {
  const port = Layer.effect(ProjectionPort, Effect.fail(makeTestProblem("home-newer", "Made by a newer release.")))
  const problem = {
    code: "home-newer",
    explanation: "Made by a newer release.",
    remediation: "Try something else.",
    possibleEffects: "none"
  }

  it.effect.each<readonly [ReadonlyArray<string>, object]>([
    [["run", "start", "--json", "--", "x"], problem],
    [["run", "show", "run_x", "--json"], { family: "run", runId: "run_x", result: { found: false, problem } }],
    [["run", "list", "--json"], problem],
    [["run", "read", "run_x", "--call", "1", "--json"], { found: false, problem }],
    [["run", "read", "run_x", "--call", "1", "--explain", "--json"], { found: false, problem }],
    [["run", "read", "run_x", "--transcript", "--json"], { found: false, problem }],
    [["run", "cancel", "run_x", "--json"], problem],
    [["run", "delete", "run_x", "--json"], problem],
    [["run", "end", "run_x", "--json"], problem],
    [["run", "interrupt", "run_x/main", "--json"], problem],
    [["run", "steer", "run_x", "--json", "--", "x"], problem],
    [["run", "send", "run_x/main", "--json", "--", "x"], { family: "run", runId: "run_x/main", result: { found: false, problem } }],
    [["run", "resume", "run_x", "--json"], { family: "run", runId: "run_x", result: { found: false, problem } }],
    [["run", "answer", "run_x", "--allow", "--json"], { family: "run", runId: "run_x", result: { found: false, problem } }],
    [["harness", "list", "--json"], problem],
    [["harness", "check", "hosted", "--json"], problem]
  ])("%j answers with the command's own document", ([args, document]) =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(args, { port })
      expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`)
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" })
    }))

  it.effect("without --json the Problem is words on stderr", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(["run", "list"], { port })
      expect(stderr).toBe("Error [home-newer]: Made by a newer release.\nRemediation: Try something else.\n")
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
    }))

  it.effect("a command whose Port answers leaves the exit code at 0", () =>
    Effect.gen(function*() {
      expect(yield* runSteno(["run", "list"], { port: memoryPort() })).toMatchObject({ exitCode: 0, stderr: "" })
    }))
})
