import { it } from "@effect/vitest"
import { type PrepareOptions, redacted } from "@steno/harness-seam"
import { makeRecordingTurnHost, prepareOptions, turnRequest } from "@steno/harness-seam/testing"
import { ProcessHost } from "@steno/process-host"
import { Effect, type Scope } from "effect"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { makeCodexHarness, makeCodexHarnessOver } from "./codex-harness.ts"
import { codexProfile } from "./codex-profile.ts"
import { type CodexProbes, judgeCodex, type ProbeFolder } from "./codex-qualification.ts"
import { schemaFile, usedItems, usedParts } from "./codex-schema.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-codex-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const probeFolder = Effect.map(temporary, (path): ProbeFolder => ({
  path,
  read: (file) => Effect.sync(() => (existsSync(join(path, file)) ? readFileSync(join(path, file), "utf8") : undefined))
}))

const words = (fields: ReadonlyArray<string>) => Object.fromEntries(fields.map((name) => [name, {}]))

/** Holds all that is used but `without`. */
const schema = (without?: string) => {
  const unions = ["ClientRequest", "ServerNotification", "ServerRequest"].map((union) => [union, {
    oneOf: usedParts.filter(({ method, of }) => of === union && method !== without).map(({ fields, method }) => ({
      properties: { method: { enum: [method] }, params: { properties: words(fields) } }
    }))
  }])
  const oneOf = Object.entries(usedItems).map(([type, fields]) => ({ properties: { ...words(fields), type: { enum: [type] } } }))
  return { definitions: { ...Object.fromEntries(unions), ThreadItem: { oneOf } } }
}

interface Installed {
  readonly version?: string
  readonly schema?: unknown
  /** Shell text that is the app-server. */
  readonly server?: string
}

const greets = (account = '{"requiresOpenaiAuth":false}') =>
  `read line; echo '{"id":1,"result":{}}'; read line; read line; echo '{"id":2,"result":${account}}'`
const serves = `${greets()}; read line`

/** A `codex` that is a shell script, and what probes it. */
const installed = ({ schema: told = schema(), server = serves, version = "codex-cli 0.171.0" }: Installed = {}) =>
  Effect.gen(function*() {
    const folder = yield* temporary
    const program = join(folder, "codex")
    writeFileSync(join(folder, "schema.json"), JSON.stringify(told))
    writeFileSync(program, [
      "#!/bin/sh",
      `echo "$*" >> '${folder}/calls'`,
      `if [ "$1" = --version ]; then echo '${version}'`,
      `elif [ "$2" = generate-json-schema ]; then cp '${folder}/schema.json' "$4/${schemaFile}"`,
      `else ${server}`,
      "fi",
      ""
    ].join("\n"))
    chmodSync(program, 0o755)
    const probes: CodexProbes = { processes: yield* ProcessHost, command: [program], probeFolder }
    return { probes, program, calls: () => readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n") }
  })

const options = (fields: Partial<PrepareOptions> = {}) => prepareOptions({ environment: { PATH: process.env["PATH"] }, ...fields })

const refused = (probes: CodexProbes, fields: Partial<PrepareOptions> = {}) =>
  Effect.map(Effect.flip(makeCodexHarness(probes).prepare(options(fields))), ({ reason }) => reason)

const play = <A, E>(test: Effect.Effect<A, E, ProcessHost | Scope.Scope>) =>
  Effect.scoped(Effect.provide(test, ProcessHost.layer))

describe("preparing Codex", () => {
  it.live("looks at version and schema, then greets; it has that version and every capability", () =>
    play(Effect.gen(function*() {
      const { calls, probes } = yield* installed()
      const prepared = yield* makeCodexHarness(probes).prepare(options())
      expect(prepared.harness).toEqual({ id: "codex", name: "Codex", version: "0.171.0" })
      expect(prepared.profile).toEqual(codexProfile)
      yield* prepared.close
      expect(calls().map((call) => call.replace(/--out .*/, "--out"))).toEqual([
        "--version",
        "app-server generate-json-schema --out",
        "app-server"
      ])
    })))

  it.live("is not looked at again where what was found of it is kept", () =>
    play(Effect.gen(function*() {
      const { calls, probes: { processes }, program } = yield* installed()
      const facts = { printedVersion: "codex-cli 0.180.0", comparison: { missing: [], off: ["steer"] } } as const
      const harness = makeCodexHarnessOver({ processes, qualify: () => judgeCodex(program, facts) })
      const prepared = yield* harness.prepare(options())
      expect(prepared.harness.version).toBe("0.180.0")
      expect(prepared.profile.steer.state).toBe("unsupported")
      yield* prepared.close
      expect(calls()).toEqual(["app-server"])
    })))

  it.live("turns a capability off that the schema lacks, and refuses a schema that lacks more", () =>
    play(Effect.gen(function*() {
      const { probes } = yield* installed({ schema: schema("turn/steer") })
      const prepared = yield* makeCodexHarness(probes).prepare(options())
      expect(prepared.profile.steer).toMatchObject({ state: "unsupported", limits: [expect.stringContaining("schema")] })
      yield* prepared.close
      const other = yield* installed({ schema: schema("turn/completed") })
      expect(yield* refused(other.probes)).toMatchObject({
        code: "probe-failed",
        explanation: "Codex 0.171.0 speaks another protocol: turn/completed"
      })
    })))

  it.live("fails with a reason and a remedy where it is missing, old, or prints no version", () =>
    play(Effect.gen(function*() {
      const { probes, program } = yield* installed()
      expect(yield* refused({ ...probes, command: [`${program}-2`] })).toMatchObject({ code: "not-found", remedy: expect.stringMatching(/./) })
      chmodSync(program, 0o644)
      expect(yield* refused(probes)).toMatchObject({ code: "not-executable", remedy: expect.stringMatching(/./) })
      const old = yield* installed({ version: "codex-cli 0.98.0" })
      expect(yield* refused(old.probes)).toMatchObject({ code: "version-unsupported", explanation: "Codex 0.98.0 is older than 0.171.0" })
      const other = yield* installed({ version: "something else" })
      expect(yield* refused(other.probes)).toMatchObject({ code: "probe-failed" })
    })))

  it.live("says the last words of a program that ends before it answers", () =>
    play(Effect.gen(function*() {
      const { probes } = yield* installed({ server: "echo 'Error: a setting is no longer supported' >&2; exit 1" })
      expect(yield* refused(probes)).toMatchObject({
        code: "probe-failed",
        explanation: "Codex exited with 1: Error: a setting is no longer supported"
      })
    })))
})

describe("a Codex whose provider wants a login", () => {
  const preparing = (account: string) =>
    Effect.flatMap(installed({ server: `${greets(account)}; read line` }), ({ probes }) => makeCodexHarness(probes).prepare(options()))

  it.live("is unavailable without one, with the command that gives it", () =>
    play(Effect.gen(function*() {
      const { reason } = yield* Effect.flip(preparing('{"requiresOpenaiAuth":true,"account":null}'))
      expect(reason).toMatchObject({ code: "auth-required", remedy: expect.stringContaining("codex login") })
    })))

  it.live("is prepared with one", () =>
    play(Effect.gen(function*() {
      const prepared = yield* preparing('{"requiresOpenaiAuth":true,"account":{"type":"apiKey"}}')
      yield* prepared.close
    })))
})

describe("a prepared Codex", () => {
  it.live("that is gone starts no Turn, and sends nothing", () =>
    play(Effect.gen(function*() {
      const { program } = yield* installed({ server: greets() })
      const harness = makeCodexHarnessOver({
        processes: yield* ProcessHost,
        qualify: () => Effect.succeed({ path: program, version: "0.171.0", profile: codexProfile })
      })
      const prepared = yield* harness.prepare(options())
      const host = makeRecordingTurnHost()
      const handle = yield* prepared.startTurn(turnRequest(), host)
      expect(yield* handle.result).toMatchObject({ kind: "not-started", failure: { reason: "process-exited" } })
      expect(host.journal.filter(({ kind }) => kind === "admit")).toEqual([])
      expect((yield* prepared.close).exit).toEqual({ code: 0 })
    })))

  it.live("brings Steno's own server to the thread by a message, and serves one Turn then", () =>
    play(Effect.gen(function*() {
      const folder = yield* temporary
      const { program } = yield* installed({
        server: `${greets()}; read line; echo "$line" > '${folder}/thread'; echo '{"id":3,"error":{"code":-32600,"message":"no"}}'; cat > /dev/null`
      })
      const harness = makeCodexHarnessOver({
        processes: yield* ProcessHost,
        qualify: () => Effect.succeed({ path: program, version: "0.171.0", profile: codexProfile })
      })
      const agentCallServer = { command: "/bin/steno", arguments: ["agent-calls"], environment: { STENO_TOKEN: "one-time" } }
      const prepared = yield* harness.prepare(options({ agentCallServer }))
      const handle = yield* prepared.startTurn(turnRequest(), makeRecordingTurnHost())
      expect(yield* handle.result).toMatchObject({ kind: "not-started", failure: { reason: "native", text: "no" } })
      expect(JSON.parse(readFileSync(join(folder, "thread"), "utf8"))).toMatchObject({
        method: "thread/start",
        params: {
          cwd: "/",
          config: { "mcp_servers.steno": { command: "/bin/steno", args: ["agent-calls"], env: { STENO_TOKEN: "one-time" } } }
        }
      })
      yield* prepared.close
    })))

  it.live("says no secret with the end of its stderr", () =>
    play(Effect.gen(function*() {
      const { probes } = yield* installed({ server: `echo 'token one-time-token is wrong' >&2; ${serves}` })
      const prepared = yield* makeCodexHarness(probes).prepare(options({ secrets: ["one-time-token"] }))
      expect((yield* prepared.close).stderrTail).toBe(`token ${redacted} is wrong\n`)
    })))
})
