import { describe, expect, it } from "@effect/vitest"
import type { CallId } from "@steno/contracts"
import { ItemId } from "@steno/harness-seam"
import { SuppliedOutputs } from "@steno/process-capture"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeObservedOutputs } from "./observed-outputs.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const itemId = ItemId.make("make")
const callId = "call_01ARZ3NDEKTSV4RRFFQ69G5FAV" as CallId

/** The outputs of a Turn whose record takes nothing until `record` is asked for. */
const heldBack = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const supplied = yield* SuppliedOutputs
  const writes: Array<Effect.Effect<void>> = []
  const opened: Array<CallId> = []
  const outputs = makeObservedOutputs(
    (call) => {
      opened.push(call)
      return Effect.orElseSucceed(supplied.open(folder), () => undefined)
    },
    { write: (effect) => void writes.push(effect) }
  )
  const record = Effect.suspend(() => Effect.all(writes.splice(0), { discard: true }))
  const text = () => readFileSync(join(folder, "output.txt"), "utf8")
  return { file: join(folder, "output.txt"), opened, outputs, record, text, writes }
}).pipe(Effect.provide(SuppliedOutputs.layer))

describe("the output that an outside agent supplies", () => {
  it.effect("waits as one part, however often it is told anew, and what was given last is kept with what came behind it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { outputs, record, text, writes } = yield* heldBack
      yield* outputs.begun(itemId, callId)
      const sink = outputs.sink(itemId)
      sink.append("first\n")
      for (let told = 0; told < 100; told++) sink.replace(`${told}\n`)
      sink.append("behind\n")
      expect(writes).toHaveLength(1)
      yield* record
      yield* outputs.close(itemId)
      expect(text()).toBe("99\nbehind\n")
    })))

  it.effect("before the start of its call is on record lies in the file as soon as it is", () =>
    Effect.scoped(Effect.gen(function*() {
      const { file, outputs, record, text } = yield* heldBack
      const sink = outputs.sink(itemId)
      sink.append("early ")
      yield* record
      sink.append("and late")
      expect(existsSync(file)).toBe(false)
      yield* outputs.begun(itemId, callId)
      yield* outputs.close(itemId)
      expect(text()).toBe("early and late")
    })))

  it.effect("of a call whose start could not be stored is let go", () =>
    Effect.scoped(Effect.gen(function*() {
      const { opened, outputs, record, writes } = yield* heldBack
      const sink = outputs.sink(itemId)
      sink.append("before")
      outputs.refuse(itemId)
      yield* record
      sink.append("after")
      expect([writes, yield* outputs.close(itemId)]).toEqual([[], undefined])
      expect(opened).toEqual([])
    })))

  it.effect("is asked for no second file where none can be made", () =>
    Effect.scoped(Effect.gen(function*() {
      const { file, opened, outputs, record, writes } = yield* heldBack
      yield* outputs.begun(itemId, callId)
      rmSync(join(file, ".."), { recursive: true })
      const sink = outputs.sink(itemId)
      sink.append("one")
      yield* record
      sink.append("two")
      expect([writes, opened, yield* outputs.close(itemId)]).toEqual([[], [callId], undefined])
    })))
})
