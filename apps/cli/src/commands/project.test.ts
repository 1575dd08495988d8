import { describe, expect, it } from "@effect/vitest"
import { ProjectionDocument } from "@steno/contracts"
import { explainedText, HeadlessInput, HeadlessOutput, runArguments } from "@steno/headless"
import { captureOutput } from "@steno/headless/testing"
import type { PortProblem } from "@steno/projection-port"
import { Effect, Schema, Stream } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Command } from "../cli-engine.ts"
import { temporaryFolder } from "../testing.ts"
import { projectCommand } from "./project.ts"

const root = Command.make("steno").pipe(Command.withSubcommands([projectCommand]))
const encoder = new TextEncoder()

/** What is not given dies when it is asked for. */
interface Given {
  readonly cwd?: string
  readonly stdin?: Stream.Stream<Uint8Array, PortProblem>
}

const project = Effect.fnUntraced(function*(args: ReadonlyArray<string>, given: Given = {}) {
  const output = captureOutput()
  const unasked = Effect.die(new Error("nobody should have asked for this"))
  const exitCode = yield* runArguments(root, { version: "1.2.3" })(["project", ...args]).pipe(
    Effect.provideService(HeadlessOutput, output.service),
    Effect.provideService(HeadlessInput, {
      cwd: given.cwd === undefined ? unasked : Effect.succeed(given.cwd),
      stdin: given.stdin ?? Stream.fromEffect(unasked)
    })
  )
  return { exitCode, stdout: new TextDecoder().decode(output.stdoutBytes()), stderr: output.stderr() }
})

const documentOf = (stdout: string) => Schema.decodeUnknownEffect(ProjectionDocument, { onExcessProperty: "error" })(JSON.parse(stdout))

const log = Array.from({ length: 4_000 }, (_, line) => line === 2_000 ? "error: link failed\n" : `compiled unit ${line}\n`).join("")
const fromStdin = (text: string): Given => ({ stdin: Stream.make(encoder.encode(text)) })

describe("steno project", () => {
  it.effect("shows a file that fits whole, named relatively or absolutely, and says nothing of an end nobody asked for", () =>
    Effect.gen(function*() {
      const folder = temporaryFolder()
      const path = join(folder, "out.txt")
      writeFileSync(path, "one\ntwo")
      const shown = { exitCode: 0, stdout: "Output (2 lines, 7 bytes):\none\ntwo\n", stderr: "" }
      expect(yield* project([path])).toEqual(shown)
      expect(yield* project(["out.txt"], { cwd: folder })).toEqual(shown)
      expect((yield* project([path, "--exit-code", "0"])).stdout).toBe(`Exit code 0.\n${shown.stdout}`)
    }))

  it.effect("of a longer one shows the lines that say most of it, with its path", () =>
    Effect.gen(function*() {
      const path = join(temporaryFolder(), "build.log")
      writeFileSync(path, log)
      const { stdout } = yield* project([path, "--exit-code", "2", "--tool", "bash"])
      expect(stdout).toMatch(/^Exit code 2\.\n/)
      expect(stdout).toContain("\n2001: error: link failed\n")
      expect(stdout).toContain(`: ${path}\n`)
    }))

  it.effect("--explain says behind that text why; --json says all of it", () =>
    Effect.gen(function*() {
      const json = yield* project(["-", "--json"], fromStdin(log))
      const document = yield* documentOf(json.stdout)
      expect(document.kept.map(({ line }) => line)).toContain(2_001)
      expect((yield* project(["-"], fromStdin(log))).stdout).toBe(`${document.text}\n`)
      expect((yield* project(["-", "--explain"], fromStdin(log))).stdout).toBe(explainedText(document))
      expect((yield* project(["-", "--explain", "--json"], fromStdin(log))).stdout).toBe(json.stdout)
    }))

  it.effect("--json is one frozen document", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* project(["-", "--exit-code", "1", "--json"], fromStdin("one\nerror: two\n"))
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/projection.json"))
      expect(stdout).toBe(`${JSON.stringify(yield* documentOf(stdout), null, 2)}\n`)
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))

  it.effect("reads each block of stdin before it asks for the next one", () =>
    Effect.gen(function*() {
      const block = new Uint8Array(1_000)
      const blocks = Stream.map(Stream.rechunk(Stream.range(0, 499), 1), (ordinal) => {
        block.fill(0x0a).set(encoder.encode(ordinal === 250 ? "error: bad" : `block ${ordinal}`))
        return block
      })
      const { stdout } = yield* project(["-", "--json"], { stdin: blocks })
      const document = yield* documentOf(stdout)
      expect(document.totalBytes).toBe(500_000)
      expect(document.text).toContain(": error: bad\n")
      expect(document.text).toContain("\n1: block 0\n")
      expect(document.text).toContain(": block 499\n")
    }))
})

describe("an output that cannot be read", () => {
  const folder = temporaryFolder
  const refused: ReadonlyArray<readonly [what: string, path: (at: string) => string, code: string, words: string]> = [
    ["that is not there", (at) => join(at, "none"), "ENOENT", "There is no file "],
    ["below a file", (at) => join(at, "file", "x"), "ENOTDIR", "There is no file "],
    ["that is a folder", (at) => join(at, "sub"), "EISDIR", " is a folder, "]
  ]
  it.effect.each(refused)("(%s) is a Problem that names it: exit 1, as text and as the one document", ([, pathIn, code, words]) =>
    Effect.gen(function*() {
      const at = folder()
      mkdirSync(join(at, "sub"))
      writeFileSync(join(at, "file"), "")
      const path = pathIn(at)
      const plain = yield* project([path])
      expect([plain.exitCode, plain.stdout]).toEqual([1, ""])
      expect(plain.stderr).toMatch(/^Error \[storage-failed\]: [^\n]+\nRemediation: [^\n]+\n$/)
      expect(plain.stderr).toContain(words)
      const json = yield* project([path, "--json"])
      expect([json.exitCode, json.stderr]).toEqual([1, ""])
      expect(JSON.parse(json.stdout)).toMatchObject({ code: "storage-failed", details: { path, code }, possibleEffects: "none" })
    }))
})

describe("wrong usage", () => {
  it.effect.each<readonly [ReadonlyArray<string>, string]>([
    [[], "Argument FILE is required."],
    [[""], "FILE must not be blank."],
    [["a", "b"], "Unexpected argument \"b\"."],
    [["-", "--tool", "nonsense"], "\"nonsense\" is not valid for --tool: expected one of bash."],
    [["-", "--exit-code", "1.5"], "\"1.5\" is not valid for --exit-code: expected a whole number."],
    [["-", "--exit-code"], "Option --exit-code needs a value."]
  ])("%j exits 64 and reads nothing", ([args, explanation]) =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* project(args)
      expect(stderr).toBe(`Error [usage-invalid]: ${explanation}\nRemediation: See "steno project --help".\n`)
      expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: "" })
    }))

  it.effect.each(["-1", "256"])("an exit code of %s is limit-invalid, and nothing is read", (code) =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* project(["-", "--json", `--exit-code=${code}`])
      expect(JSON.parse(stdout)).toMatchObject({
        code: "limit-invalid",
        fieldViolations: [{ field: "exit-code", explanation: `${code} is not between 0 and 255.` }]
      })
      expect(exitCode).toBe(1)
    }))
})

it.effect("help shows one example", () =>
  Effect.gen(function*() {
    const { exitCode, stdout } = yield* project(["--help"])
    expect(stdout).toMatch(/^Usage: steno project \[OPTIONS\] FILE\n[^]*\nExample:\n {2}steno project [^\n]*\n$/)
    expect(exitCode).toBe(0)
  }))
