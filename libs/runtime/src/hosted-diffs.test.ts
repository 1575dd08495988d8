import { assert, describe, it } from "@effect/vitest"
import type { EventPayload, OperationInput, RunId } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect, Fiber } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { call, fileAppears, type Hosted, hostedInput, inAnotherProcess, onHosted, operate, says, startHosted, steps } from "./testing/hosted-runs.ts"

/** The diffs on record, in their order. */
const storedDiffs = ({ home }: Pick<Hosted, "home">): ReadonlyArray<EventPayload<"turn-diff">> => {
  const database = new Database(join(home, "core.sqlite"), { readonly: true })
  const payloads = database.prepare("SELECT payload FROM event WHERE type = 'turn-diff' ORDER BY rowid").pluck().all()
  database.close()
  return payloads.map((payload) => JSON.parse(String(payload)))
}

const edit = (path: string, oldText: string, newText: string) => call("edit", { path, edits: [{ oldText, newText }] })

const allowing = (runId: RunId): OperationInput => ({ operation: "answer", runId, answer: { approval: { decision: "allow" } }, by: "person" })

describe("the diff of a Turn", () => {
  it.live("is one for all files that its calls changed, from before the first change to after the last", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        writeFileSync(join(hosted.workspace, "old.txt"), "one\ntwo\nthree\n")
        writeFileSync(join(hosted.workspace, "same.txt"), "same\n")
        hosted.script(steps(
          { content: [edit("old.txt", "one", "1"), call("write", { path: "a/new.txt", content: "first\n" }), edit("same.txt", "same", "other")] },
          { content: [call("bash", { command: "sed -i s/two/2/ old.txt" }), call("read", { path: "old.txt" })] },
          { content: [call("read", { path: "old.txt" })] },
          {
            content: [
              edit("old.txt", "three", "3"),
              call("write", { path: "a/new.txt", content: "last\n" }),
              edit("same.txt", "other", "same"),
              edit("old.txt", "not there", "x"),
              call("edit", { path: "old.txt", edits: [{ oldText: "1", newText: "x" }], dryRun: true })
            ]
          },
          { content: [says("Done.")] }
        ))
        const run = yield* startHosted(hosted, { approvals: "allow" })
        assert.strictEqual(run.state, "succeeded")
        assert.strictEqual(readFileSync(join(hosted.workspace, "old.txt"), "utf8"), "1\n2\n3\n")
        assert.deepStrictEqual(storedDiffs(hosted), [{
          content: "--- /dev/null\n+++ b/a/new.txt\n@@ -0,0 +1,1 @@\n+last\n" +
            "--- a/old.txt\n+++ b/old.txt\n@@ -1,3 +1,3 @@\n-one\n-two\n-three\n+1\n+2\n+3\n",
          files: [{ path: "a/new.txt", kind: "create" }, { path: "old.txt", kind: "update" }]
        }])
        assert.deepStrictEqual((yield* hosted.transcript(run.runId)).entries.map(({ content }) => content), ["Do it.", "Done."])
      })
    ))

  it.live("is none where no call changed a file, and begins anew with each Turn", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps(
          { content: [call("bash", { command: "echo x > by-a-command" })] },
          { content: [says("Nothing of mine.")] },
          { content: [call("write", { path: "f", content: "a\n" })] },
          { content: [says("One.")] },
          { content: [edit("f", "a", "b")] },
          { content: [says("Two.")] }
        ))
        const { runId } = yield* startHosted(hosted, { approvals: "allow" })
        assert.deepStrictEqual(storedDiffs(hosted), [])
        const port = yield* ProjectionPort
        for (const text of ["one", "two"]) {
          assert.deepStrictEqual(yield* operate({ operation: "send", runId, text }), { status: "applied" })
          assert.strictEqual((yield* port.awaitRest(runId)).state, "succeeded")
        }
        assert.deepStrictEqual(storedDiffs(hosted).map(({ content }) => content), [
          "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n",
          "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n"
        ])
      })
    ))

  it.live("is told of a Turn that failed", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({ content: [call("write", { path: "f", content: "a\n" })] }, { error: { status: 401, message: "No such key." } }))
        const run = yield* startHosted(hosted, { approvals: "allow" })
        assert.strictEqual(run.turns[0]?.result, "failed")
        assert.deepStrictEqual(storedDiffs(hosted).flatMap(({ files }) => files), [{ path: "f", kind: "create" }])
      })
    ))

  it.live("is told of a Turn that was interrupted, with what its message had changed beside a command", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(steps({
          content: [call("write", { path: "f", content: "a\n" }), call("bash", { command: "touch ready; exec sleep 60" })]
        }))
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: hostedInput(hosted, { approvals: "allow" }) })
        const waiting = yield* Effect.forkChild(port.awaitRest(runId), { startImmediately: true })
        yield* fileAppears(hosted.workspace, "ready")
        yield* fileAppears(hosted.workspace, "f")
        assert.deepStrictEqual(yield* operate({ operation: "interrupt", runId, session: "main" }), { status: "applied" })
        const run = yield* Fiber.join(waiting)
        assert.deepStrictEqual([run.turns[0]?.result, run.calls.map(({ outcome }) => outcome)], ["interrupted", ["completed", "cancelled"]])
        assert.deepStrictEqual(storedDiffs(hosted).map(({ content }) => content), ["--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n"])
      })
    ))
})

describe("the diff of a Turn that rested for a person", () => {
  const twice = steps(
    { content: [call("write", { path: "f", content: "a\nb\n" })] },
    { content: [edit("f", "b", "c")] },
    { content: [says("Done.")] }
  )

  it.live("is whole where the process that began it goes on", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(twice)
        const { runId } = yield* startHosted(hosted, { approvals: "ask" })
        const port = yield* ProjectionPort
        for (const state of ["blocked", "succeeded"]) {
          yield* operate(allowing(runId))
          assert.strictEqual((yield* port.awaitRest(runId)).state, state)
        }
        assert.deepStrictEqual(storedDiffs(hosted).map(({ content }) => content), ["--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+c\n"])
      })
    ))

  it.live("says what is missing where another process does", () =>
    onHosted((hosted) =>
      Effect.gen(function*() {
        hosted.script(twice)
        const { runId } = yield* startHosted(hosted, { approvals: "ask" })
        const port = yield* ProjectionPort
        yield* operate(allowing(runId))
        assert.strictEqual((yield* port.awaitRest(runId)).state, "blocked")
        assert.strictEqual((yield* inAnotherProcess(hosted.home, allowing(runId))).state, "succeeded")
        assert.deepStrictEqual(storedDiffs(hosted), [{
          content: "Not shown: \"f\" (changes by calls that another process carried or that are no longer remembered)\n" +
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
          files: [{ path: "f", kind: "update" }]
        }])
      })
    ))
})
