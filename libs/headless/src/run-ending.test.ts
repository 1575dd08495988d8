import { describe, expect, it } from "@effect/vitest"
import type { OperationInput, OperationOutcome } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { makeRunSnapshot, makeTestProblem, memoryPort, testIds } from "@steno/projection-port/testing"
import { Effect, Layer } from "effect"
import { runSteno } from "./testing.ts"

const run = makeRunSnapshot()
const { problem } = makeTestProblem("run-terminal", "The Run is cancelled already.")

const withOutcome = (outcome: OperationOutcome) => memoryPort({ runs: [run], settle: () => outcome })

/** One Port for several command lines, and what was submitted to it. */
const shared = Effect.gen(function*() {
  const submitted: Array<{ readonly operationId?: string; readonly input: OperationInput }> = []
  const memory = yield* ProjectionPort.pipe(Effect.provide(memoryPort({ runs: [run] })))
  const port = Layer.succeed(ProjectionPort, {
    ...memory,
    submit: (request) => Effect.andThen(Effect.sync(() => submitted.push(request)), memory.submit(request))
  })
  return { port, submitted }
})

describe.each([["cancel", "cancelled"], ["delete", "deleted"]] as const)("run %s", (operation, done) => {
  it.effect("submits one Operation for the named Run, waits for it and says what was done", () =>
    Effect.gen(function*() {
      const { port, submitted } = yield* shared
      const ended = yield* runSteno(["run", operation, "@last", "--operation-id", "once"], { port, cwd: run.workspacePath })
      expect(ended).toMatchObject({ exitCode: 0, stdout: `Run ${run.runId}: ${done}.\n`, stderr: "" })
      expect(submitted).toEqual([{ operationId: "once", input: { operation, runId: run.runId } }])
    }))

  it.effect("leaves the operation id to the Port when none is given", () =>
    Effect.gen(function*() {
      const { port, submitted } = yield* shared
      const { stdout } = yield* runSteno(["run", operation, run.runId, "--json"], { port })
      expect(submitted).toEqual([{ input: { operation, runId: run.runId } }])
      expect(JSON.parse(stdout)).toEqual({
        family: "operation",
        operationId: testIds.operation(1),
        outcome: { status: "applied" }
      })
    }))

  it.effect("repeated with a full id and the same operation id gives the same answer", () =>
    Effect.gen(function*() {
      const { port } = yield* shared
      const args = ["run", operation, run.runId, "--operation-id", "once", "--json"]
      const first = yield* runSteno(args, { port })
      expect(yield* runSteno(args, { port })).toEqual(first)
      expect(first.exitCode).toBe(0)
    }))

  it.effect("that was not applied exits 1 with its Problem on stderr, or inside the document", () =>
    Effect.gen(function*() {
      const port = withOutcome({ status: "not-applied", problem })
      expect(yield* runSteno(["run", operation, run.runId], { port })).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: "Error [run-terminal]: The Run is cancelled already.\nRemediation: Try something else.\n"
      })
      const json = yield* runSteno(["run", operation, run.runId, "--json"], { port })
      expect(JSON.parse(json.stdout)).toMatchObject({ family: "operation", outcome: { status: "not-applied", problem } })
      expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 1, stderr: "" })
    }))

  it.effect("that is pending exits 1 and names the operation id to ask with again", () =>
    Effect.gen(function*() {
      const pending = makeTestProblem("operation-pending", "The owner did not answer.").problem
      const port = withOutcome({ status: "pending", problem: pending })
      const { exitCode, stderr } = yield* runSteno(["run", operation, run.runId], { port })
      expect(stderr).toBe(
        `Error [operation-pending]: The owner did not answer.\nRemediation: Try something else.\nOperation ${testIds.operation(1)}: pending.\n`
      )
      expect(exitCode).toBe(1)
    }))

  it.effect("of an unknown Run is its Problem, as text and as the document", () =>
    Effect.gen(function*() {
      const { port, submitted } = yield* shared
      expect(yield* runSteno(["run", operation, "@last"], { port, cwd: "/nowhere" })).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(/^Error \[run-not-found\]: /)
      })
      const json = yield* runSteno(["run", operation, "@last", "--json"], { port, cwd: "/nowhere" })
      expect(JSON.parse(json.stdout)).toMatchObject({ code: "run-not-found" })
      expect(submitted).toEqual([])
    }))
})
