import { assert, describe, it } from "@effect/vitest"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { call, onHosted, says, startHosted, steps } from "./testing/hosted-runs.ts"
import { portOn } from "./testing.ts"

const manyLines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n")

describe("the explanation of a call whose result is a value", () => {
  it.live.each([
    ["fits", true, "read", { path: "small.txt" }],
    ["is a page of a file", true, "read", { path: "large.txt" }],
    ["does not fit", false, "grep", { pattern: "line", path: "large.txt" }],
    ["is that it failed", true, "read", { path: "none.txt" }],
    ["is that its arguments are wrong", true, "read", { file: 3 }],
    ["is that it was denied", true, "write", { path: "new.txt", content: "x" }]
  ] as const)("that %s is the stored text, also in another process, with nothing to warn of", ([, fits, tool, args]) =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        writeFileSync(join(hosted.workspace, "small.txt"), "one\ntwo\n")
        writeFileSync(join(hosted.workspace, "large.txt"), manyLines)
        hosted.script(steps({ content: [call(tool, args)] }, { content: [says("Seen.")] }))
        const run = yield* startHosted(hosted, { approvals: "deny" })
        const explain = Effect.flatMap(ProjectionPort, (port) =>
          port.explainCall({ run: { text: run.runId, workspacePath: "/" }, call: "1" }))
        const here = yield* explain
        const there = yield* Effect.provide(explain, portOn(hosted.home, "read"))
        assert.strictEqual(run.state, "succeeded")
        assert.notProperty(here, "warnings")
        assert.notProperty(here, "storedText")
        assert.isNotEmpty(here.text)
        assert.strictEqual(here.fits, fits)
        assert.deepStrictEqual(there, here)
      })))

  it.live("stands beside that of a command the model ran, which is made again from its output", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [call("bash", { command: "seq 5000" })] }, { content: [says("Counted.")] }))
        const run = yield* startHosted(hosted, { approvals: "allow" })
        const port = yield* ProjectionPort
        const document = yield* port.explainCall({ run: { text: run.runId, workspacePath: "/" }, call: "1" })
        assert.strictEqual(document.text, run.calls[0]?.output?.projection)
        assert.isNotEmpty(document.kept)
        assert.notProperty(document, "warnings")
      })))
})
