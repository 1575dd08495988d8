import { assert, describe, it } from "@effect/vitest"
import { AssetStore } from "@steno/asset-store"
import { CallId, ConversationId } from "@steno/contracts"
import { ProcessHost } from "@steno/process-host"
import { SearchProcess } from "@steno/tool-catalog"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { PersonEnvironment } from "./person-environment.ts"
import { searchProcessLayer } from "./search-process.ts"
import { temporaryFolder } from "./testing.ts"
import { marked } from "./testing/model-calls.ts"

const callId = CallId.make("call_01JAVW4QKD7QZB2N5T8M3X9C1S")
const conversationId = ConversationId.make("conv_01JAVW4QKD7QZB2N5T8M3X9C1R")

const onHome = <A, E>(
  test: (search: {
    readonly run: (words: ReadonlyArray<string>, take: (block: Uint8Array) => boolean) => ReturnType<typeof SearchProcess.Service.run>
    readonly folder: string
  }) => Effect.Effect<A, E>,
  environment: Readonly<Record<string, string | undefined>> = process.env
) =>
  Effect.scoped(Effect.gen(function*() {
    const home = yield* temporaryFolder
    const cwd = yield* temporaryFolder
    const layer = searchProcessLayer.pipe(Layer.provide([
      AssetStore.layer({ dataRoot: join(home, "data") }),
      ProcessHost.layer,
      Layer.succeed(PersonEnvironment, environment)
    ]))
    return yield* Effect.gen(function*() {
      const { run } = yield* SearchProcess
      return yield* test({
        run: ([program = "", ...words], take) => run({ callId, conversationId, program, arguments: words, cwd }, take),
        folder: join(home, "data", "conversations", conversationId, "tool-calls", callId)
      })
    }).pipe(Effect.provide(layer))
  }))

const gather = () => {
  const blocks: Array<Buffer> = []
  return { take: (block: Uint8Array) => blocks.push(Buffer.from(block)) > 0, text: () => Buffer.concat(blocks).toString() }
}

describe("a search", () => {
  it.live("gets its words as they are, and gives back all that it prints, its errors and its exit", () =>
    onHome(({ folder, run }) =>
      Effect.gen(function*() {
        const words = ["$HOME", "it's", "a\nb", "", "*", "\\", "-n", "`x`"]
        const { take, text } = gather()
        const script = "printf '<%s>' \"$@\"; head -c 300000 /dev/zero; echo no >&2; exit 2"
        const end = yield* run(["/bin/sh", "-c", script, "sh", ...words], take)
        assert.strictEqual(text(), words.map((word) => `<${word}>`).join("") + "\0".repeat(300_000))
        assert.deepStrictEqual(end, { exitCode: 2, stderr: "no\n" })
        assert.deepStrictEqual([readdirSync(folder), marked(callId)], [[], []])
      })))

  it.live("reads nothing, and has no key of a model", () =>
    onHome(({ run }) =>
      Effect.gen(function*() {
        const { take, text } = gather()
        yield* run(["/bin/sh", "-c", "cat; env"], take)
        assert.include(text(), "MINE=1")
        for (const secret of ["sk-one", "sk-two", "sk-three"]) assert.notInclude(text(), secret)
      }), { PATH: process.env["PATH"], MINE: "1", ANTHROPIC_API_KEY: "sk-one", OPENAI_API_KEY: "sk-two", OPENAI_COMPATIBLE_API_KEY: "sk-three" }))

  it.live("is over, with all its processes, once its reader has enough; the reader is not asked again", () =>
    onHome(({ folder, run }) =>
      Effect.gen(function*() {
        let asked = 0
        yield* run(["/bin/sh", "-c", "sleep 300 & yes"], () => ++asked < 2)
        assert.strictEqual(asked, 2)
        assert.deepStrictEqual([readdirSync(folder), marked(callId)], [[], []])
      })))

  it.live("leaves no process when it is interrupted", () =>
    onHome(({ folder, run }) =>
      Effect.gen(function*() {
        const begun = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(run(["/bin/sh", "-c", "trap '' TERM; sleep 300 & echo begun; wait"], () =>
          Deferred.doneUnsafe(begun, Effect.void)))
        yield* Deferred.await(begun)
        assert.isAbove(marked(callId).length, 0)
        yield* Fiber.interrupt(running)
        assert.deepStrictEqual([readdirSync(folder), marked(callId)], [[], []])
      })))

  it.live("whose program is missing says so", () =>
    onHome(({ run }) =>
      Effect.gen(function*() {
        const end = yield* run(["/nowhere/rg"], () => true)
        assert.strictEqual(end.exitCode, 127)
        assert.include(end.stderr, "/nowhere/rg")
      })))
})
