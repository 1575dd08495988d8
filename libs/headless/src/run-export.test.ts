import { describe, expect, it } from "@effect/vitest"
import { RunExport } from "@steno/contracts"
import { makeRunSnapshot, makeTestProblem, memoryPort, testIds } from "@steno/projection-port/testing"
import { Effect, Schema } from "effect"
import { runSteno } from "./testing.ts"

const plain = makeRunSnapshot()
const [call] = plain.calls
const [session] = plain.sessions
const run = makeRunSnapshot({
  state: "failed",
  workspacePath: "/space/a `b`\nc",
  requestedModel: "model-1",
  sessions: [session!, { ...session!, session: "review" }, { ...session!, session: "empty" }],
  turns: [plain.turns[0]!, { ...plain.turns[0]!, turnId: testIds.turn(2), session: "review" }],
  calls: [
    {
      ...call!,
      input: "echo '```'\n\u001b[31m",
      exitCode: 3,
      warnings: [{ code: "io-slow", text: "The disk was slow." }],
      survivors: [],
      output: {
        lines: 3,
        bytes: 1_234,
        droppedBytes: 5,
        projection: "Exit code 3.\n````\n\u001b[31mred\u001b[0m\n",
        path: "/home/a b/output.txt"
      }
    },
    { callId: testIds.call(2), ordinal: 2, session: "review", turnId: testIds.turn(2), tool: "read", input: "file.txt", state: "running" }
  ]
})
const port = memoryPort({
  runs: [run],
  transcript: (_, name) =>
    name === "empty" ? [] : [
      { session: name, role: "user", content: "do\n```\nit", kind: "entry-prompt", turn: testIds.turn(name === "main" ? 1 : 2) },
      { session: name, role: "assistant", content: "# Done\n\n```\nopen", incomplete: true }
    ]
})
const exported = (...args: ReadonlyArray<string>) => runSteno(["run", "export", run.runId, ...args], { port, cwd: "/here" })

describe("run export", () => {
  it.effect("is readable Markdown unless told otherwise: facts, transcripts, calls, links", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* exported()
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/run-export.md"))
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    }))

  it.effect("as json is one frozen document with the exact values", () =>
    Effect.gen(function*() {
      const { stdout } = yield* exported("--format", "json")
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/run-export.json"))
      const document: unknown = JSON.parse(stdout)
      const decoded = yield* Schema.decodeUnknownEffect(RunExport, { onExcessProperty: "error" })(document)
      expect(decoded).toEqual(document)
      expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`)
    }))

  it.effect.each(["md", "json"])("with --output writes the same %s into the file and prints its path alone", (format) =>
    Effect.gen(function*() {
      const { stdout: text } = yield* exported("--format", format)
      const { files, stdout } = yield* exported("--format", format, "--output", "sub/run.out")
      expect([...files]).toEqual([["/here/sub/run.out", text]])
      expect(stdout).toBe("/here/sub/run.out\n")
    }))

  it.effect("that cannot be written is its Problem, and no path is printed", () =>
    Effect.gen(function*() {
      const refused = yield* runSteno(["run", "export", run.runId, "--output", "/full/run.md"], {
        port,
        writeFile: () => Effect.fail(makeTestProblem("storage-full", "No space left."))
      })
      expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^Error \[storage-full\]: No space left/) })
    }))

  it.effect("of an unknown Run is a Problem and writes nothing", () =>
    Effect.gen(function*() {
      const refused = yield* runSteno(["run", "export", "run_none", "--format", "json", "--output", "x"], { port })
      expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^Error \[run-not-found\]/) })
      expect(refused.files.size).toBe(0)
    }))
})
