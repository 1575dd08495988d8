import { describe, expect, it } from "@effect/vitest"
import type { CallOutput } from "@steno/contracts"
import { type CallReadQuery, type PortProblem, ProjectionPort, type RunListQuery } from "@steno/projection-port"
import {
  makeCallOutput,
  makeProjection,
  makeRunSnapshot,
  makeTestProblem,
  memoryPort,
  testIds
} from "@steno/projection-port/testing"
import { Effect, Layer, Stream } from "effect"
import { explainedText } from "./projection-text.ts"
import { runSteno } from "./testing.ts"

const ownRun = makeRunSnapshot({ runId: testIds.run(1), workspacePath: "/workspace" })
const otherRun = makeRunSnapshot({ runId: testIds.run(2), workspacePath: "/elsewhere", state: "failed" })

describe("run show", () => {
  it.effect("shows a Run with exit 0, whatever its state", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(["run", "show", otherRun.runId], {
        port: memoryPort({ runs: [ownRun, otherRun] })
      })
      expect(stdout).toMatch(/: failed\n/)
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))

  it.effect("@last is looked for in the caller's directory", () =>
    Effect.gen(function*() {
      const { stdout } = yield* runSteno(["run", "show", "@last"], {
        port: memoryPort({ runs: [ownRun, otherRun] }),
        cwd: "/workspace"
      })
      expect(stdout).toContain(ownRun.runId)
    }))

  it.effect("an unknown Run keeps the id as typed in its document", () =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* runSteno(["run", "show", "--json", "Run_42"], { port: memoryPort() })
      expect(JSON.parse(stdout)).toMatchObject({
        family: "run",
        runId: "Run_42",
        result: { found: false, problem: { code: "run-not-found" } }
      })
      expect(exitCode).toBe(1)
    }))
})

describe("a caller's directory that is gone", () => {
  const gone = Effect.fail(makeTestProblem("workspace-not-found", "The directory is gone."))
  const asked = (args: ReadonlyArray<string>) => runSteno(["run", ...args], { port: memoryPort({ runs: [ownRun] }), cwd: gone })

  it.effect.each<readonly [ReadonlyArray<string>]>([
    [["list"]],
    [["show", "@last"]],
    [["read", "@last", "--call", "1"]],
    [["read", "@last/main", "--transcript"]],
    [["cancel", "@last"]],
    [["delete", "@last"]],
    [["start", "x"]],
    [["start", "--workspace", "sub", "x"]]
  ])("is a Problem of `run %s`, as text and as JSON", ([args]) =>
    Effect.gen(function*() {
      const plain = yield* asked(args)
      expect([plain.exitCode, plain.stdout]).toEqual([1, ""])
      expect(plain.stderr).toMatch(/^Error \[workspace-not-found\]: /)
      const json = yield* asked([args[0] ?? "", "--json", ...args.slice(1)])
      expect([json.exitCode, json.stderr]).toEqual([1, ""])
      expect(json.stdout).toContain(`"code": "workspace-not-found"`)
    }))

  it.effect.each<readonly [ReadonlyArray<string>]>([
    [["list", "--all"]],
    [["show", ownRun.runId]],
    [["read", `${ownRun.runId}/main`, "--transcript"]],
    [["cancel", ownRun.runId]],
    [["export", ownRun.runId, "--output", "/absolute.md"]],
    [["start", "--workspace", "/elsewhere", "x"]]
  ])("does not matter to `run %s`", ([args]) =>
    Effect.gen(function*() {
      expect((yield* asked(args)).exitCode).toBe(0)
    }))
})

describe("run list", () => {
  it.effect("a workspace of two lines makes no row of its own, nor does a Problem that names it", () =>
    Effect.gen(function*() {
      const workspacePath = `/w\n${testIds.run(2)}  forged`
      const runs = [makeRunSnapshot({ runId: testIds.run(1), workspacePath })]
      const { stdout } = yield* runSteno(["run", "list", "--all"], { port: memoryPort({ runs }) })
      expect(stdout).toContain(`    in /w\\x0a${testIds.run(2)}  forged\n`)
      expect(stdout).not.toMatch(new RegExp(`^${testIds.run(2)}`, "m"))
      const empty = yield* runSteno(["run", "list"], { port: memoryPort(), cwd: workspacePath })
      expect(empty.stdout.trimEnd().split("\n")).toHaveLength(1)
      const missing = Layer.effect(ProjectionPort, Effect.fail(makeTestProblem("home-read-only", `No: ${workspacePath}.`)))
      expect((yield* runSteno(["run", "list"], { port: missing })).stderr.trimEnd().split("\n")).toHaveLength(2)
    }))

  const asked = (args: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const queries: Array<RunListQuery> = []
      const memory = yield* ProjectionPort.pipe(Effect.provide(memoryPort()))
      const port = Layer.succeed(ProjectionPort, {
        ...memory,
        listRuns: (query) => Effect.andThen(Effect.sync(() => queries.push(query)), memory.listRuns(query))
      })
      yield* runSteno(["run", "list", ...args], { port, cwd: "/here" })
      return queries
    })

  it.effect("asks for twenty Runs of this workspace unless told otherwise", () =>
    Effect.gen(function*() {
      expect(yield* asked([])).toEqual([{ workspacePath: "/here", resumable: false, limit: 20 }])
      expect(yield* asked(["--all", "--resumable", "--limit", "200", "--before", "c1"])).toEqual([
        { resumable: true, limit: 200, before: "c1" }
      ])
    }))

  it.effect.each(["0", "201", "-1"])("--limit %s is limit-invalid and asks nothing", (limit) =>
    Effect.gen(function*() {
      expect(yield* asked(["--limit", limit])).toEqual([])
      const { exitCode, stdout } = yield* runSteno(["run", "list", "--json", "--limit", limit], { port: memoryPort() })
      expect(JSON.parse(stdout)).toMatchObject({
        code: "limit-invalid",
        fieldViolations: [{ field: "limit", explanation: `${limit} is not between 1 and 200.` }]
      })
      expect(exitCode).toBe(1)
    }))

  it.effect("prints one line per Run, newest first, and how to go on", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* runSteno(["run", "list", "--all", "--limit", "1"], {
        port: memoryPort({ runs: [ownRun, otherRun] })
      })
      expect(stdout).toBe(
        `${otherRun.runId}  2026-01-02T03:04:06.500Z  failed           command  echo hello\n    in /elsewhere\n`
      )
      expect(stderr).toBe(`Older Runs: add --before ${otherRun.runId}\n`)
      expect(exitCode).toBe(0)
    }))

  it.effect("says so when there is nothing", () =>
    Effect.gen(function*() {
      const { stdout } = yield* runSteno(["run", "list", "--resumable"], { port: memoryPort({ runs: [ownRun] }) })
      expect(stdout).toBe("No resumable Runs in /workspace.\n")
    }))
})

describe("run read --call", () => {
  const withPage = (changes: Partial<CallOutput>) =>
    memoryPort({ runs: [ownRun], page: () => Effect.succeed(makeCallOutput(changes)) })
  const read = (changes: Partial<CallOutput>, terminal: boolean) =>
    runSteno(["run", "read", "@last", "--call", "1"], { port: withPage(changes), terminal: { stdout: terminal } })

  it.effect("passes on what was asked and leaves out what was not", () =>
    Effect.gen(function*() {
      const queries: Array<CallReadQuery> = []
      const port = memoryPort({
        runs: [ownRun],
        page: (query) => Effect.sync(() => {
          queries.push(query)
          return makeCallOutput()
        })
      })
      yield* runSteno(["run", "read", "@last", "--call", "1"], { port })
      yield* runSteno(
        ["run", "read", "@last", "--call", "call_01ARZ3ND", "--stream", "stderr", "--offset", "0", "--limit", "500"],
        { port }
      )
      const run = { text: "@last", workspacePath: "/workspace" }
      expect(queries).toEqual([
        { run, call: "1", stream: "output" },
        { run, call: "call_01ARZ3ND", stream: "stderr", offset: 0, limit: 500 }
      ])
    }))

  it.effect.each([["--offset", "-1"], ["--limit", "0"], ["--limit", "501"]])("%j is limit-invalid", (option) =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* runSteno(["run", "read", "@last", "--call", "1", "--json", ...option], {
        port: withPage({})
      })
      expect(JSON.parse(stdout)).toMatchObject({
        found: false,
        problem: { code: "limit-invalid", fieldViolations: [{ field: option[0]?.slice(2) }] }
      })
      expect(exitCode).toBe(1)
    }))

  it.effect("a whole stream is its lines and no note", () =>
    Effect.gen(function*() {
      expect(yield* read({}, false)).toMatchObject({ exitCode: 0, stdout: "one\ntwo\n", stderr: "" })
    }))

  it.effect("an absent stream reads as empty", () =>
    Effect.gen(function*() {
      const empty = { totalLines: 0, totalBytes: 0, endOffset: 0, lines: [] }
      expect(yield* read(empty, false)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" })
    }))

  it.effect("a page says on stderr which part it is and how to go on", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* read({
        totalLines: 1_000,
        totalBytes: 70_000,
        offset: 10,
        endOffset: 12,
        nextOffset: 12,
        complete: false,
        captureTruncated: { droppedBytes: 5_000 },
        truncatedLines: [{ line: 11, bytes: 65_537 }],
        path: "/home/output.txt"
      }, false)
      expect(stdout).toBe("one\ntwo\n")
      expect(stderr).toBe(
        "Offsets 10 to 12 of 1,000 lines, 70,000 bytes · next: --offset 12 · 5,000 bytes not captured · line 11 cut (65,537 bytes) · file: /home/output.txt\n"
      )
    }))

  it.effect("a call that still runs is never shown as complete", () =>
    Effect.gen(function*() {
      const { stderr } = yield* read({ status: "running", complete: false }, false)
      expect(stderr).toBe("Offsets 0 to 2 of 2 lines, 8 bytes · the call is running\n")
    }))

  it.effect("control sequences reach a pipe as they are and a terminal only as visible text", () =>
    Effect.gen(function*() {
      const lines = ["\u001b[2J\u001b[31mred\u001b[0m", "bell\u0007"]
      expect((yield* read({ lines }, false)).stdout).toBe(`${lines.join("\n")}\n`)
      expect((yield* read({ lines }, true)).stdout).toBe("red\nbell\\x07\n")
    }))

  it.effect("--explain asks for the call alone and prints its text and why; with --json the document", () =>
    Effect.gen(function*() {
      const queries: Array<object> = []
      const port = memoryPort({
        runs: [ownRun],
        explain: (query) => Effect.sync(() => {
          queries.push(query)
          return makeProjection()
        })
      })
      const plain = yield* runSteno(["run", "read", "@last", "--call", "1", "--explain"], { port })
      expect(plain).toMatchObject({ exitCode: 0, stdout: explainedText(makeProjection()), stderr: "" })
      const json = yield* runSteno(["run", "read", "@last", "--call", "1", "--explain", "--json"], { port })
      expect(JSON.parse(json.stdout)).toEqual(makeProjection())
      const query = { run: { text: "@last", workspacePath: "/workspace" }, call: "1" }
      expect(queries).toEqual([query, query])
    }))

  it.effect("--raw writes exactly the stored bytes", () =>
    Effect.gen(function*() {
      const blocks = [Uint8Array.of(0xff, 0x00, 0x1b), Uint8Array.of(0xe2, 0x82), Uint8Array.of(0xac, 0x0d)]
      const { exitCode, stderr, stdoutBytes } = yield* runSteno(
        ["run", "read", "@last", "--call", "1", "--raw", "--stream", "stdout"],
        { port: memoryPort({ runs: [ownRun], bytes: () => Stream.fromIterable(blocks) }), terminal: { stdout: true } }
      )
      expect([...stdoutBytes]).toEqual(blocks.flatMap((block) => [...block]))
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))

  it.effect("a fault in the middle of --raw keeps what was written and exits 1", () =>
    Effect.gen(function*() {
      const bytes = (): Stream.Stream<Uint8Array, PortProblem> =>
        Stream.concat(Stream.make(Uint8Array.of(65)), Stream.fail(makeTestProblem("storage-failed", "Disk fault.")))
      const { exitCode, stderr, stdout } = yield* runSteno(["run", "read", "@last", "--call", "1", "--raw"], {
        port: memoryPort({ runs: [ownRun], bytes })
      })
      expect(stdout).toBe("A")
      expect(stderr).toBe("Error [storage-failed]: Disk fault.\nRemediation: Try something else.\n")
      expect(exitCode).toBe(1)
    }))
})
