import { assert, describe, it } from "@effect/vitest"
import { RunSnapshot } from "@steno/contracts"
import { Effect, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { call, onHosted, says, startHosted, steps } from "./testing/hosted-runs.ts"

const isSnapshot = Schema.is(RunSnapshot)

describe("a Turn of the built-in loop", () => {
  it.live("with two calls of one message, then an answer: results in content order, the Run succeeded", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [says("I look."), call("bash", { command: "echo one" }), call("bash", { command: "echo two" })] },
          { content: [says("Both ran.")] }
        ))
        const run = yield* startHosted(hosted, { approvals: "allow" })
        assert.isTrue(isSnapshot(run))
        assert.deepStrictEqual([run.state, run.turns.map(({ result }) => result)], ["succeeded", ["completed"]])
        assert.deepStrictEqual(run.calls.map(({ input, outcome, tool }) => [tool, input, outcome]), [
          ["bash", "echo one", "completed"],
          ["bash", "echo two", "completed"]
        ])
        assert.strictEqual(run.requestedModel, "script:script.json")
        assert.strictEqual(run.effectiveModel, "script:script.json")
        const { entries } = yield* hosted.transcript(run.runId)
        assert.deepStrictEqual(entries.map(({ content, role }) => [role, content]), [
          ["user", "Do it."],
          ["assistant", "I look."],
          ["assistant", "Both ran."]
        ])
      })
    ))
})
