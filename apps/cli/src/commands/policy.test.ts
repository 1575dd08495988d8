import { describe, expect, it } from "@effect/vitest"
import { PolicyConfirmation, PolicyDocument } from "@steno/contracts"
import { HeadlessInput, HeadlessOutput, runArguments } from "@steno/headless"
import { captureOutput } from "@steno/headless/testing"
import { makeTestProblem } from "@steno/projection-port/testing"
import { WorkspacePolicy } from "@steno/runtime"
import { Effect, Layer, Schema, Stream } from "effect"
import { Command } from "../cli-engine.ts"
import { policyCommand } from "./policy.ts"

const digest = `sha256:${"0".repeat(64)}`
const document: PolicyDocument = {
  family: "policy",
  workspacePath: "/ws",
  valid: false,
  policyDigest: digest,
  layers: [
    { layer: "guardrails", state: "built-in", rules: [], builtIn: ["No call does that."] },
    {
      layer: "workspace",
      state: "unconfirmed",
      path: "/ws/.steno/policy.json",
      digest,
      rules: [
        { effect: "deny", command: "rm *", reason: "no\u001b[1G\nnext" },
        { effect: "allow", tool: "bash", path: "a\u202eb", host: "x.y" },
        { effect: "allow" }
      ]
    },
    { layer: "user", state: "invalid", path: "/home/config/policy.json", rules: [], fault: { position: "rules[0].effect", explanation: "Missing key" } },
    { layer: "default", state: "built-in", rules: [], builtIn: ["Everything else asks."] }
  ]
}
const confirmation: PolicyConfirmation = { family: "policy-confirmation", workspacePath: "/ws", path: "/ws/.steno/policy.json", digest, changed: true }

const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>, answers: Partial<WorkspacePolicy["Service"]> = {}) {
  const output = captureOutput()
  const asked: Array<ReadonlyArray<string | undefined>> = []
  const layer = Layer.succeed(WorkspacePolicy, {
    show: (workspace) => Effect.sync(() => (asked.push([workspace]), document)),
    confirm: (workspace, expected) => Effect.sync(() => (asked.push([workspace, expected]), confirmation)),
    ...answers
  })
  const root = Command.make("steno").pipe(Command.withSubcommands([policyCommand(layer)]))
  const exitCode = yield* runArguments(root, { version: "1.2.3" })(["policy", ...args]).pipe(
    Effect.provideService(HeadlessOutput, output.service),
    Effect.provideService(HeadlessInput, { cwd: Effect.succeed("/cwd"), stdin: Stream.empty })
  )
  return { asked, exitCode, stdout: new TextDecoder().decode(output.stdoutBytes()), stderr: output.stderr() }
})

describe("steno policy show", () => {
  it.effect("prints the layers nearest first, each rule on one line with nothing unseen, and exits 1 while a file is invalid", () =>
    Effect.gen(function*() {
      expect(yield* run(["show"])).toEqual({
        asked: [["/cwd"]],
        exitCode: 1,
        stderr: "",
        stdout: [
          "Workspace: /ws",
          "guardrails  built in",
          "  No call does that.",
          "workspace   not confirmed: says nothing until `steno policy confirm`  /ws/.steno/policy.json",
          `  ${digest}`,
          "  deny   command \"rm *\"  (no\\x1b[1G\\x0anext)",
          "  allow  tool \"bash\", path \"a\\u{202e}b\", host \"x.y\"",
          "  allow  everything",
          "user        invalid  /home/config/policy.json",
          "  not valid at rules[0].effect: Missing key",
          "default     built in",
          "  Everything else asks.",
          "A policy file is invalid: none of its rules counts, and no rule allows anything.",
          ""
        ].join("\n")
      })
      expect((yield* run(["show"], { show: () => Effect.succeed({ ...document, valid: true }) })).exitCode).toBe(0)
    }))

  it.effect("--json is one frozen document", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* run(["show", "--json"])
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/policy-show.json"))
      expect(yield* Schema.decodeUnknownEffect(PolicyDocument, { onExcessProperty: "error" })(JSON.parse(stdout))).toEqual(document)
      expect(stderr).toBe("")
    }))
})

describe("steno policy confirm", () => {
  it.effect("confirms the workspace's file, as it is or with the digest that was looked at", () =>
    Effect.gen(function*() {
      expect(yield* run(["confirm"])).toEqual({
        asked: [["/cwd", undefined]],
        exitCode: 0,
        stderr: "",
        stdout: `Confirmed: /ws/.steno/policy.json\n  ${digest}\n`
      })
      expect((yield* run(["confirm", "--workspace", "sub", "--digest", digest])).asked).toEqual([["/cwd/sub", digest]])
      const again = yield* run(["confirm"], { confirm: () => Effect.succeed({ ...confirmation, changed: false }) })
      expect(again.stdout).toMatch(/^Was confirmed before: /)
    }))

  it.effect("--json is one frozen document", () =>
    Effect.gen(function*() {
      const { stdout } = yield* run(["confirm", "--json"])
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/policy-confirm.json"))
      expect(yield* Schema.decodeUnknownEffect(PolicyConfirmation, { onExcessProperty: "error" })(JSON.parse(stdout))).toEqual(confirmation)
    }))

  it.effect.each(["x", "sha256:", `sha256:${"0".repeat(63)}`, `SHA256:${"0".repeat(64)}`, "0".repeat(64)])("--digest %j is wrong usage and confirms nothing", (typed) =>
    Effect.gen(function*() {
      const { asked, exitCode, stderr, stdout } = yield* run(["confirm", "--digest", typed])
      expect(stderr).toMatch(/^Error \[usage-invalid\]: --digest is sha256: and 64 hexadecimal digits/)
      expect({ asked, exitCode, stdout }).toEqual({ asked: [], exitCode: 64, stdout: "" })
    }))

  it.effect("of a file that is absent, invalid or changed is a Problem with exit code 1", () =>
    Effect.gen(function*() {
      const refused = Effect.fail(makeTestProblem("policy-changed", "It changed."))
      const answers = { confirm: () => refused, show: () => refused }
      expect(yield* run(["confirm"], answers)).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^Error \[policy-changed\]: It changed\.\n/) })
      const json = yield* run(["show", "--json"], answers)
      expect([json.exitCode, json.stderr, JSON.parse(json.stdout)]).toMatchObject([1, "", { code: "policy-changed" }])
    }))
})

describe("help", () => {
  it.effect.each(["show", "confirm"])("of `steno policy %s` shows one example", (name) =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* run([name, "--help"])
      expect(stdout).toMatch(new RegExp(`^Usage: steno policy ${name} \\[OPTIONS\\]\\n[^]*\\nExample:\\n  steno policy ${name}[^\\n]*\\n$`))
      expect(exitCode).toBe(0)
    }))
})
