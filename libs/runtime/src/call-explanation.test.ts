import { assert, describe, it } from "@effect/vitest"
import type { RunSnapshot } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { existsSync, renameSync, rmSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { portOn, runCommand, startInput, temporaryFolder } from "./testing.ts"

const places = Effect.gen(function*() {
  return { home: join(yield* temporaryFolder, "home"), workspace: yield* temporaryFolder }
})

const explain = ({ runId }: Pick<RunSnapshot, "runId">, call = "1") =>
  Effect.flatMap(ProjectionPort, (port) => port.explainCall({ run: { text: runId, workspacePath: "/" }, call }))

const long = "for i in $(seq 3000); do echo step $i; test $i = 1500 && echo 'error: link failed' >&2; done; exit 2"

/** Resolves when the folder holds a file `ready`. */
const isReady = (folder: string) =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (!existsSync(join(folder, "ready"))) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = watch(folder, look)
    look()
  })

describe("the explanation of a call", () => {
  it.live.each([
    ["printed little", "echo out; echo err >&2; exit 3"],
    ["printed more than fits", long],
    ["printed on stderr alone", `{ ${long}; } 2>&1 >&2`],
    ["printed nothing", "true"],
    ["printed blank lines", "echo; echo"],
    ["printed bytes that are no text", "head -c 50000 /dev/zero"],
    ["printed more than is kept", "seq 1 3000000"],
    ["ended by a signal", "echo part; kill -SEGV $$"],
    ["printed what no file could take", "mkdir \"$(dirname \"$0\")/output.txt.part\"; echo out; echo err >&2; exit 3"],
    ["left a process behind", "sleep 300 >/dev/null 2>&1 & echo ok"]
  ] as const)("of a command that %s is the stored text, also in another process, with nothing to warn of", ([, command]) =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      const [run, here] = yield* Effect.gen(function*() {
        const started = yield* runCommand(command, workspace)
        return [started, yield* explain(started)] as const
      }).pipe(Effect.provide(portOn(home)))
      const there = yield* Effect.provide(explain(run), portOn(home, "read"))
      assert.strictEqual(run.calls[0]?.output?.projection, here.text)
      assert.notProperty(here, "warnings")
      assert.notProperty(here, "storedText")
      assert.deepStrictEqual(there, here)
    })))

  it.live("says of each line that is shown why, and of all others that they are not", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      const document = yield* runCommand(long, workspace).pipe(
        Effect.flatMap((run) => explain(run)),
        Effect.provide(portOn(home))
      )
      assert.isFalse(document.fits)
      assert.strictEqual(document.kept.length, document.payloadLines)
      for (const { line, why } of document.kept) {
        assert.match(document.text, new RegExp(`^${line}: `, "m"))
        assert.notStrictEqual(why, "")
      }
      const omitted = document.omitted.reduce((sum, { from, to }) => sum + to - from + 1, 0)
      assert.strictEqual(omitted + document.kept.length, document.totalLines)
      assert.include(document.text, ": error: link failed")
    })))

  it.live("reads a file once: again it is given also when the file is gone, and a process that never read it refuses", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      const run = yield* Effect.provide(runCommand(long, workspace), portOn(home))
      const path = run.calls[0]?.output?.path ?? ""
      yield* Effect.gen(function*() {
        const first = yield* explain(run)
        rmSync(path)
        assert.deepStrictEqual(yield* explain(run), first)
      }).pipe(Effect.provide(portOn(home)))
      const refused = yield* Effect.provide(Effect.flip(explain(run)), portOn(home))
      assert.strictEqual(refused.problem.code, "asset-not-found")
    })))

  it.live("reads nothing in the process that ran the command", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      yield* Effect.gen(function*() {
        const run = yield* runCommand(long, workspace)
        rmSync(run.calls[0]?.output?.path ?? "")
        assert.strictEqual((yield* explain(run)).text, run.calls[0]?.output?.projection)
      }).pipe(Effect.provide(portOn(home)))
    })))

  it.live("is none of a file that is not the recorded one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      const run = yield* Effect.provide(runCommand("echo true", workspace), portOn(home))
      writeFileSync(run.calls[0]?.output?.path ?? "", "fals\n")
      const refused = yield* Effect.provide(Effect.flip(explain(run)), portOn(home))
      assert.strictEqual(refused.problem.code, "digest-mismatch")
    })))

  it.live("whose text is not the stored one any more gives both and says so", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      const run = yield* Effect.provide(runCommand(long, workspace), portOn(home))
      const moved = `${home}-moved`
      renameSync(home, moved)
      const document = yield* Effect.provide(explain(run), portOn(moved))
      assert.strictEqual(document.storedText, run.calls[0]?.output?.projection)
      assert.strictEqual(document.text, document.storedText?.replaceAll(home, moved))
      assert.deepStrictEqual(document.warnings?.map(({ code }) => code), ["projection-differs"])
    })))

  it.live("that could not start is how it ended, as a model was told", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      const document = yield* runCommand("echo \0", workspace).pipe(
        Effect.flatMap((run) => explain(run)),
        Effect.provide(portOn(home))
      )
      assert.match(document.text, /^Command: echo \\x00\nFailed\.\nReason: [^\n]*NUL[^\n]*\nNo output\.$/)
      assert.deepStrictEqual([document.totalLines, document.kept, document.omitted], [0, [], []])
      assert.deepStrictEqual([document.storedText, document.warnings], [undefined, undefined])
    })))

  it.live("that still runs, or that nobody knows, is a Problem", () =>
    Effect.scoped(Effect.gen(function*() {
      const { home, workspace } = yield* places
      yield* Effect.gen(function*() {
        const port = yield* ProjectionPort
        const { runId } = yield* port.submit({ input: startInput("echo one; touch ready; sleep 60", workspace) })
        yield* isReady(workspace)
        assert.strictEqual((yield* Effect.flip(explain({ runId }))).problem.code, "asset-not-found")
        assert.strictEqual((yield* Effect.flip(explain({ runId }, "2"))).problem.code, "call-not-found")
        yield* port.submit({ input: { operation: "interrupt", runId, force: true } })
        const rested = yield* port.awaitRest(runId)
        assert.strictEqual((yield* explain(rested)).text, rested.calls[0]?.output?.projection)
      }).pipe(Effect.provide(portOn(home)))
    })))
})
