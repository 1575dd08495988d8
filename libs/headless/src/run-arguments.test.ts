import { describe, expect, it } from "@effect/vitest"
import { Problem } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { makeTestProblem, memoryPort } from "@steno/projection-port/testing"
import { Effect, Layer, Schema } from "effect"
import { runSteno } from "./testing.ts"

const closedPort = Layer.effect(
  ProjectionPort,
  Effect.die(new Error("the home was opened although no command needed it"))
)

type WrongLine = readonly [args: ReadonlyArray<string>, explanation: string, remediation: string]

const wrongLines: ReadonlyArray<WrongLine> = [
  [[], `"steno" needs a command.`, `See "steno --help".`],
  [["run"], `"steno run" needs a command.`, `See "steno run --help".`],
  [["rnu"], `Unknown command "rnu".`, `Did you mean run? See "steno --help".`],
  [["run", "strat"], `Unknown command "strat".`, `Did you mean start? See "steno run --help".`],
  [["run", "\u001b[31mx"], `Unknown command "\\x1b[31mx".`, `See "steno run --help".`],
  [["--", "run", "list"], `Unexpected arguments "run", "list".`, `See "steno --help".`],
  [["run", "start"], "Argument INPUT is required.", `See "steno run start --help".`],
  [["run", "start", "--"], "Argument INPUT is required.", `See "steno run start --help".`],
  [
    ["run", "start", "ls", "-la"],
    "Unknown option -l. Unknown option -a.",
    `Put "--" before INPUT if the option belongs to it. See "steno run start --help".`
  ],
  [
    ["run", "start", "--sesion", "x", "y"],
    "Unknown option --sesion.",
    `Did you mean --session? Put "--" before INPUT if the option belongs to it. See "steno run start --help".`
  ],
  [["run", "start", "--session"], "Option --session needs a value.", `See "steno run start --help".`],
  [["run", "start", "--timeout-ms", "", "x"], "Option --timeout-ms needs a value.", `See "steno run start --help".`],
  [
    ["run", "start", "--timeout-ms", "soon", "x"],
    `"soon" is not valid for --timeout-ms: expected a whole number.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--timeout-ms", "1.5", "x"],
    `"1.5" is not valid for --timeout-ms: expected a whole number.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--timeout-ms", "99999999999999999999", "x"],
    `"99999999999999999999" is not valid for --timeout-ms: expected a whole number.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "command", "--harness", "command", "x"],
    "Option --harness was given more than once.",
    `See "steno run start --help".`
  ],
  [["run", "start", "--entry", "--entry", "x"], "Option --entry was given more than once.", `See "steno run start --help".`],
  [
    ["run", "start", "--entry=maybe", "x"],
    `"maybe" is not valid for --entry: expected no value.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--operation-id", "two words", "x"],
    "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--session", "a/b", "x"],
    `--session must not be blank and must not contain "/" or control characters.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--session", "x".repeat(65), "x"],
    "--session must have at most 64 characters.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--json=maybe", "x"],
    `"maybe" is not valid for --json: expected no value.`,
    `See "steno run start --help".`
  ],
  [["run", "start", "--harness", "", "x"], "Option --harness needs a value.", `See "steno run start --help".`],
  [["run", "start", "--workspace=", "x"], "Option --workspace needs a value.", `See "steno run start --help".`],
  [
    ["run", "start", "--workspace", " ", "x"],
    `" " is not valid for --workspace: expected a value.`,
    `See "steno run start --help".`
  ],
  [[""], `Unknown command "".`, `See "steno --help".`],
  [["run", ""], `Unknown command "".`, `See "steno run --help".`],
  [["run", "show", ""], "RUN must not be blank.", `See "steno run show --help".`],
  [["run", "show", "--", " "], "RUN must not be blank.", `See "steno run show --help".`],
  [["run", "show", "--"], "Argument RUN is required.", `See "steno run show --help".`],
  [["run", "read", "", "--transcript"], "RUN must not be blank.", `See "steno run read --help".`],
  [["run", "read", "x", "--call", ""], "Option --call needs a value.", `See "steno run read --help".`],
  [["run", "read", "x", "--transcript", "--cursor="], "Option --cursor needs a value.", `See "steno run read --help".`],
  [["run", "cancel", ""], "RUN must not be blank.", `See "steno run cancel --help".`],
  [["run", "delete", " "], "RUN must not be blank.", `See "steno run delete --help".`],
  [["run", "export", ""], "RUN must not be blank.", `See "steno run export --help".`],
  [["run", "list", "--before", ""], "Option --before needs a value.", `See "steno run list --help".`],
  [
    ["run", "list", "--limit", "abc"],
    `"abc" is not valid for --limit: expected a whole number.`,
    `See "steno run list --help".`
  ],
  [
    ["run", "list", "--limit", "0x10"],
    `"0x10" is not valid for --limit: expected a whole number.`,
    `See "steno run list --help".`
  ],
  [["run", "list", "--limit", "5", "--limit", "6"], "Option --limit was given more than once.", `See "steno run list --help".`],
  [["run", "list", "--", "x"], `Unexpected argument "x".`, `See "steno run list --help".`],
  [["run", "list", "-a"], "Unknown option -a.", `Did you mean --all? See "steno run list --help".`],
  [["run", "show"], "Argument RUN is required.", `See "steno run show --help".`],
  [
    ["run", "show", "@last/main"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run show --help".`
  ],
  [["run", "show", "a", "b"], `Unexpected argument "b".`, `See "steno run show --help".`],
  [["run", "list", "x"], `Unexpected argument "x".`, `See "steno run list --help".`],
  [["run", "list", "--limit"], "Option --limit needs a value.", `See "steno run list --help".`],
  [["run", "read", "x"], "One of --call CALL and --transcript is required.", `See "steno run read --help".`],
  [["run", "read", "--call", "1"], "Argument RUN[/SESSION] is required.", `See "steno run read --help".`],
  [
    ["run", "read", "x", "--call", "1", "--stream", "both"],
    `"both" is not valid for --stream: expected one of output, stdout, stderr.`,
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--raw", "--offset", "0", "--limit", "5"],
    "--raw writes the whole stream and cannot be combined with --offset and --limit.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--explain", "--stream", "stdout", "--offset", "0", "--limit", "5", "--raw"],
    "--explain is about what a model sees of the whole call and cannot be combined with --stream and --offset and --limit and --raw.",
    `See "steno run read --help".`
  ],
  [["run", "read", "x", "--explain"], "One of --call CALL and --transcript is required.", `See "steno run read --help".`],
  [
    ["run", "read", "x", "--transcript", "--explain"],
    "--transcript cannot be combined with --explain.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--transcript"],
    "--call and --transcript exclude each other.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--transcript", "--raw", "--stream", "stdout", "--limit", "3"],
    "--transcript cannot be combined with --stream and --limit and --raw.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x", "--call", "1", "--cursor", "c"],
    "--cursor goes on with a transcript and needs --transcript.",
    `See "steno run read --help".`
  ],
  [
    ["run", "read", "x/main", "--call", "1"],
    `"x/main" names a Session, but a whole Run is meant here.`,
    `See "steno run read --help".`
  ],
  [["run", "read", "x/", "--transcript"], `"x/" is not RUN or RUN/SESSION.`, `See "steno run read --help".`],
  [
    ["run", "export", "x", "--format", "pdf"],
    `"pdf" is not valid for --format: expected one of md, json.`,
    `See "steno run export --help".`
  ],
  [
    ["run", "export", "x/main"],
    `"x/main" names a Session, but a whole Run is meant here.`,
    `See "steno run export --help".`
  ],
  [["run", "export", "x", "--output"], "Option --output needs a value.", `See "steno run export --help".`],
  [["run", "export", "x", "--output", ""], "--output must name a file.", `See "steno run export --help".`],
  [["run", "cancel"], "Argument RUN is required.", `See "steno run cancel --help".`],
  [
    ["run", "cancel", "@last/main"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run cancel --help".`
  ],
  [
    ["run", "delete", "@last", "--operation-id", "two words"],
    "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
    `See "steno run delete --help".`
  ],
  [
    ["run", "start", "--approvals", "maybe", "x"],
    `"maybe" is not valid for --approvals: expected one of deny, allow, ask.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--approvals", "", "x"],
    "Option --approvals needs a value.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--agent-calls", "on", "x"],
    `"on" is not valid for --agent-calls: expected one of off, accept, review.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "hosted", "--model", " ", "x"],
    `" " is not valid for --model: expected a value.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "hosted", "--effort", "", "x"],
    "Option --effort needs a value.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--harness", "command", "--effort", "low", "--approvals", "ask", "--agent-calls", "off", "x"],
    "The harness command runs INPUT as it is, without a model: --effort and --approvals and --agent-calls would mean nothing.",
    `See "steno run start --help".`
  ],
  [
    ["run", "start", "--interactive=maybe", "x"],
    `"maybe" is not valid for --interactive: expected no value.`,
    `See "steno run start --help".`
  ],
  [
    ["run", "answer", "@last"],
    "Say the answer with one of --allow, --deny, --option, --text, --answer, --answer-text, --dismiss, --continue, --stop.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--deny"],
    "--allow and --deny exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--option", "a", "--text", "b", "--dismiss"],
    "--option and --text and --dismiss exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--option", "a", "--answer", "q=a"],
    "--option and --answer exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--continue", "--stop"],
    "--continue and --stop exclude each other.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--dismiss", "--reason", "no"],
    "--reason goes with --allow or --deny.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--deny", "--always", "session"],
    "--always goes with --allow.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--always", "ever"],
    `"ever" is not valid for --always: expected one of session, workspace, user.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--rule", "1"],
    "--rule says what --always keeps and needs it.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--always", "user", "--rule", "0"],
    "--rule is the number of a suggested rule, from 1.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--always", "user", "--rule", "x"],
    `"x" is not valid for --rule: expected a whole number.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer", "a"],
    `"a" is not valid for --answer: expected QUESTION=OPTION.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer", "=a"],
    `"=a" is not valid for --answer: expected QUESTION=OPTION.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer-text", "a="],
    `"a=" is not valid for --answer-text: expected QUESTION=TEXT.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--answer-text", "a=x", "--answer-text", "a=y"],
    `--answer-text was given more than once for "a".`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--text", ""],
    "Option --text needs a value.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last/main", "--allow"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "@last", "--allow", "--call", ""],
    "Option --call needs a value.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "answer", "--allow"],
    "Argument RUN is required.",
    `See "steno run answer --help".`
  ],
  [
    ["run", "send", "@last"],
    "Argument TEXT is required.",
    `See "steno run send --help".`
  ],
  [
    ["run", "send"],
    "Argument RUN[/SESSION] is required.",
    `See "steno run send --help".`
  ],
  [
    ["run", "send", "a/b/c", "--", "x"],
    `"a/b/c" is not RUN or RUN/SESSION.`,
    `See "steno run send --help".`
  ],
  [
    ["run", "send", "@last", "--operation-id", "two words", "--", "x"],
    "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
    `See "steno run send --help".`
  ],
  [
    ["run", "steer", "@last"],
    "Argument TEXT is required.",
    `See "steno run steer --help".`
  ],
  [
    ["run", "steer", "", "--", "x"],
    "RUN must not be blank.",
    `See "steno run steer --help".`
  ],
  [
    ["run", "resume"],
    "Argument RUN is required.",
    `See "steno run resume --help".`
  ],
  [
    ["run", "resume", "@last/main"],
    `"@last/main" names a Session, but a whole Run is meant here.`,
    `See "steno run resume --help".`
  ],
  [
    ["run", "interrupt"],
    "Argument RUN[/SESSION] is required.",
    `See "steno run interrupt --help".`
  ],
  [
    ["run", "interrupt", "@last/"],
    `"@last/" is not RUN or RUN/SESSION.`,
    `See "steno run interrupt --help".`
  ],
  [
    ["run", "end", "@last", "--failed=maybe"],
    `"maybe" is not valid for --failed: expected no value.`,
    `See "steno run end --help".`
  ],
  [
    ["run", "end", "a", "b"],
    `Unexpected argument "b".`,
    `See "steno run end --help".`
  ],
  [
    ["run", "send", "@last", "--nope", "x"],
    "Unknown option --nope.",
    `Put "--" before TEXT if the option belongs to it. See "steno run send --help".`
  ],
  [["harness"], `"steno harness" needs a command.`, `See "steno harness --help".`],
  [["harness", "check"], "Argument ID is required.", `See "steno harness check --help".`],
  [["harness", "check", " "], "ID must not be blank.", `See "steno harness check --help".`],
  [["harness", "list", "x"], `Unexpected argument "x".`, `See "steno harness list --help".`]
]

describe("wrong usage", () => {
  it.effect.each(wrongLines)("%j exits 64 and says on stderr alone what is wrong", ([args, explanation, remediation]) =>
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
