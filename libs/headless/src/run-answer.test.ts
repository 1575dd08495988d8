import { describe, expect, it } from "@effect/vitest"
import type { OperationInput } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { makeAgentRunSnapshot, makeTestProblem, memoryPort, type MemoryPortOptions, testIds } from "@steno/projection-port/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { AdmittedRun } from "./headless-ports.ts"
import { runSteno } from "./testing.ts"

const run = makeAgentRunSnapshot()

/** A Port that keeps what is submitted; every command of a test meets the same Runs. */
const recording = Effect.fnUntraced(function*(options: MemoryPortOptions = {}) {
  const submitted: Array<OperationInput> = []
  const inner = yield* ProjectionPort.pipe(Effect.provide(memoryPort({
    runs: [run],
    apply: (_, found) => ({ ...found, pending: [], state: "succeeded" }),
    ...options
  })))
  const port = Layer.succeed(ProjectionPort, {
    ...inner,
    submit: (request) => Effect.andThen(Effect.sync(() => submitted.push(request.input)), inner.submit(request))
  })
  return { port, submitted }
})

const drivenCommands: ReadonlyArray<readonly [ReadonlyArray<string>, object]> = [
  [["answer", run.runId, "--allow"], { operation: "answer", runId: run.runId, answer: { approval: { decision: "allow" } }, by: "person" }],
  [["answer", "@last", "--call", "2", "--text", "x"], {
    operation: "answer",
    runId: run.runId,
    callId: testIds.call(2),
    answer: { only: { options: [], text: "x" } },
    by: "person"
  }],
  [["answer", "@last", "--call", "req_01JAVW4QKD7QZB2N5T8M3X9C1R", "--option", "a"], {
    operation: "answer",
    runId: run.runId,
    requestId: "req_01JAVW4QKD7QZB2N5T8M3X9C1R",
    answer: { only: { options: ["a"] } },
    by: "person"
  }],
  [["answer", "@last", "--call", testIds.call(9), "--dismiss"], {
    operation: "answer",
    runId: run.runId,
    callId: testIds.call(9),
    answer: { dismissed: true },
    by: "person"
  }],
  [["send", "@last", "--", "go", "--json", "on"], { operation: "send", runId: run.runId, text: "go --json on" }],
  [["send", `${run.runId}/main`, "-"], { operation: "send", runId: run.runId, session: "main", text: "from stdin\n" }],
  [["resume", "@last"], { operation: "resume", runId: run.runId }]
]

describe("a command after which a Run goes on", () => {
  it.effect.each(drivenCommands)("run %j submits %j, shows the Run when it rests and exits 0 where it succeeded", ([args, input]) =>
    Effect.gen(function*() {
      const { port, submitted } = yield* recording()
      const { exitCode, stderr, stdout } = yield* runSteno(["run", ...args], { port, stdin: "from stdin\n" })
      expect(submitted).toEqual([input])
      expect(stdout).toMatch(/^Run run_\w+: succeeded\n/)
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))

  it.effect.each([["blocked", 2], ["failed", 1], ["halted", 1], ["cancelled", 1]] as const)("exits by the state it rests in: %s, %i", ([state, code]) =>
    Effect.gen(function*() {
      const { port } = yield* recording({ apply: (_, found) => ({ ...found, state }) })
      for (const args of [["answer", "@last", "--allow"], ["send", "@last", "--", "x"], ["resume", "@last"]]) {
        expect(yield* runSteno(["run", ...args], { port })).toMatchObject({ exitCode: code })
      }
    }))

  it.effect("waits for rest only once its Operation is applied, and can be interrupted from before that on", () =>
    Effect.gen(function*() {
      const waiting = yield* Deferred.make<void>()
      const { port, submitted } = yield* recording({ awaitRest: () => Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never) })
      const told: Array<string> = []
      const fiber = yield* runSteno(["run", "answer", "@last", "--allow"], { port }).pipe(
        Effect.provideService(AdmittedRun, (runId) => Effect.sync(() => void told.push(`${runId} after ${submitted.length}`))),
        Effect.forkChild
      )
      yield* Deferred.await(waiting)
      expect(told).toEqual([`${run.runId} after 1`])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("that is not applied waits for nothing: its Problem stands in the Run's place, exit 1", () =>
    Effect.gen(function*() {
      const { problem } = makeTestProblem("interaction-stale", "It was answered otherwise.")
      const { port } = yield* recording({ settle: () => ({ status: "not-applied", problem }), awaitRest: () => Effect.never })
      const plain = yield* runSteno(["run", "answer", "@last", "--allow"], { port })
      expect(plain).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^Error \[interaction-stale\]: It was/) })
      const json = yield* runSteno(["run", "answer", "@last", "--allow", "--json"], { port })
      expect(JSON.parse(json.stdout)).toEqual({ family: "run", runId: "@last", result: { found: false, problem } })
      expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 1, stderr: "" })
    }))

  it.effect("that is pending names the operation id to repeat it with", () =>
    Effect.gen(function*() {
      const { problem } = makeTestProblem("operation-pending", "The owner did not answer.")
      const { port } = yield* recording({ settle: () => ({ status: "pending", problem }) })
      const { exitCode, stderr } = yield* runSteno(["run", "send", "@last", "--operation-id", "mine", "--", "x"], { port })
      expect(stderr).toMatch(/^Error \[operation-pending\]: [^]+\nOperation mine: pending\.\n$/)
      expect(exitCode).toBe(1)
    }))

  it.effect("repeated with the same operation id gives the same answer and has no second effect", () =>
    Effect.gen(function*() {
      let applied = 0
      const { port } = yield* recording({ apply: (_, found) => (applied++, { ...found, pending: [], state: "succeeded" }) })
      const args = ["run", "answer", run.runId, "--call", "2", "--allow", "--operation-id", "once", "--json"]
      expect(yield* runSteno(args, { port })).toEqual(yield* runSteno(args, { port }))
      expect(applied).toBe(1)
    }))

  it.effect.each<readonly [ReadonlyArray<string>, string]>([
    [["answer", "run_none", "--allow"], "run-not-found"],
    [["answer", "@last", "--call", "7", "--allow"], "call-not-found"],
    [["send", "@last", "--", " "], "input-blank"],
    [["resume", "run_none"], "run-not-found"]
  ])("run %j is %s and submits nothing", ([args, code]) =>
    Effect.gen(function*() {
      const { port, submitted } = yield* recording()
      const at = args.indexOf("--")
      const withJson = at === -1 ? [...args, "--json"] : [...args.slice(0, at), "--json", ...args.slice(at)]
      const { exitCode, stdout } = yield* runSteno(["run", ...withJson], { port })
      expect(JSON.parse(stdout)).toMatchObject({ family: "run", runId: args[1], result: { found: false, problem: { code } } })
      expect({ exitCode, submitted }).toEqual({ exitCode: 1, submitted: [] })
    }))
})

describe("a command for a live Turn, or that ends a Run", () => {
  it.effect.each<readonly [ReadonlyArray<string>, object, string]>([
    [["steer", `${run.runId}/main`, "--", "less", "of it"], { operation: "steer", runId: run.runId, session: "main", text: "less of it" }, `Run ${run.runId}, Session main: the Turn has taken the text.\n`],
    [["interrupt", run.runId], { operation: "interrupt", runId: run.runId }, `Run ${run.runId}: interrupted.\n`],
    [["interrupt", "@last/main"], { operation: "interrupt", runId: run.runId, session: "main" }, `Run ${run.runId}, Session main: interrupted.\n`],
    [["end", "@last"], { operation: "end", runId: run.runId }, `Run ${run.runId}: ended, succeeded.\n`],
    [["end", "@last", "--failed"], { operation: "end", runId: run.runId, failed: true }, `Run ${run.runId}: ended, failed.\n`]
  ])("run %j submits %j and says in one line what was done", ([args, input, said]) =>
    Effect.gen(function*() {
      const { port, submitted } = yield* recording()
      const { exitCode, stderr, stdout } = yield* runSteno(["run", ...args], { port })
      expect(submitted).toEqual([input])
      expect({ exitCode, stderr, stdout }).toEqual({ exitCode: 0, stderr: "", stdout: said })
    }))

  it.effect.each([["steer", "@last", "--", "x"], ["interrupt", "@last"], ["end", "@last"]])("run %s that is refused exits 1 with its Problem", (...args) =>
    Effect.gen(function*() {
      const { problem } = makeTestProblem("steer-unavailable", "No Turn is live.")
      const { port } = yield* recording({ settle: () => ({ status: "not-applied", problem }) })
      const words = args.flat().filter((word): word is string => typeof word === "string")
      expect(yield* runSteno(["run", ...words], { port })).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(/^Error \[steer-unavailable\]/)
      })
    }))
})
