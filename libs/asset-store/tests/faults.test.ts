import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StorageOperation } from "../src/testing.ts"
import { call, callFolder, conversationId, makeFixture, systemError, tagOf, treeOf } from "./store-fixture.ts"

const content = new Uint8Array(600_000).fill(7)
const file = { owner: call, name: "images/one", category: "image", content } as const

type Fixture = Effect.Success<ReturnType<typeof makeFixture>>

/** The operations that `use` takes, in order. */
const operationsOf = Effect.fnUntraced(function*(fixture: Fixture, use: Effect.Effect<unknown, unknown>) {
  const seen: Array<StorageOperation> = []
  fixture.step = (operation) => {
    seen.push(operation)
  }
  yield* Effect.exit(use)
  fixture.step = undefined
  return seen
})

/** Makes the operation of this number, and only it, answer `answer`. */
const failAt = (fixture: Fixture, number: number, answer: Error): void => {
  let seen = 0
  fixture.step = () => {
    if (seen++ === number) throw answer
  }
}

it.effect.each([["ENOSPC", "StorageFull"], ["EDQUOT", "StorageFull"], ["EIO", "StorageFailed"], ["EACCES", "StorageFailed"]] as const)(
  "%s at any step of a write fails it by name, and the same write succeeds afterwards",
  ([code, tag]) =>
    Effect.gen(function*() {
      const counted = yield* makeFixture()
      const operations = yield* operationsOf(counted, counted.store.write(file))
      expect(operations).toContain("fsync")
      for (const [number, operation] of operations.entries()) {
        const fixture = yield* makeFixture()
        failAt(fixture, number, systemError(code))
        const result = yield* Effect.result(fixture.store.write(file))
        fixture.step = undefined
        expect(Result.isFailure(result) ? result.failure.reason : "ok", `${number} ${operation}`).toMatchObject({ _tag: tag, code, operation })
        const left = treeOf(fixture.home).filter((path) => !path.endsWith("/"))
        expect(left, `${number} ${operation}`).toEqual([])
        expect(yield* tagOf(fixture.store.write(file)), `${number} ${operation}`).toBe("ok")
      }
    })
)

it.effect("bytes are durable before the name, the name before the answer, new folders before what is in them", () =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture()
    const steps: Array<string> = []
    fixture.step = (operation, path) => {
      const place = path.slice(fixture.home.length + 1).replace(/\.steno-write-[0-9a-f]+/, "temporary")
      if (["fsync", "write", "link", "unlink"].includes(operation)) steps.push(`${operation} ${place}`)
    }
    yield* fixture.store.write({ ...file, name: "one" })
    expect(steps).toEqual([
      "fsync ",
      "fsync data",
      "fsync data/conversations",
      "fsync data/conversations/conv_A",
      "fsync data/conversations/conv_A/tool-calls",
      ...[1, 2, 3].map(() => `write ${callFolder}/temporary`),
      `fsync ${callFolder}/temporary`,
      `link ${callFolder}/one`,
      `unlink ${callFolder}/temporary`,
      `fsync ${callFolder}`
    ])
  }))

it.effect("a file system without hard links keeps the same promises", () =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture()
    fixture.step = (operation) => {
      if (operation === "link") throw systemError("EPERM")
    }
    expect(yield* tagOf(fixture.store.write(file))).toBe("ok")
    expect(yield* tagOf(fixture.store.write(file))).toBe("AlreadyExists")
    const contents = [1, 2, 3, 4].map((byte) => new Uint8Array(300_000).fill(byte))
    const tags = yield* Effect.forEach(contents, (bytes) => tagOf(fixture.store.write({ ...file, name: "two", content: bytes })), { concurrency: 4 })
    expect(tags.toSorted()).toEqual(["AlreadyExists", "AlreadyExists", "AlreadyExists", "ok"])
    fixture.step = (operation) => {
      if (operation === "link") throw systemError("EPERM")
      if (operation === "rename") throw systemError("EIO")
    }
    expect(yield* tagOf(fixture.store.write({ ...file, name: "three" }))).toBe("StorageFailed")
    expect(readdirSync(join(fixture.home, callFolder)).toSorted()).toEqual(["images", "two"])
  }))

const withSession = Effect.fnUntraced(function*() {
  const fixture = yield* makeFixture()
  const { home, outside, store } = fixture
  yield* store.write(file)
  mkdirSync(outside)
  writeFileSync(join(outside, "kept"), "x")
  symlinkSync(outside, join(home, callFolder, "link"))
  mkdirSync(join(home, callFolder, "files", "deep"), { recursive: true })
  for (const name of ["a", "files/b", "files/deep/c"]) writeFileSync(join(home, callFolder, name), name)
  return fixture
})

it.effect("a fault at any step of a removal is overcome or told, all else is removed, a repetition finishes", () =>
  Effect.gen(function*() {
    const counted = yield* withSession()
    const operations = yield* operationsOf(counted, counted.store.remove(conversationId))
    for (const [number, operation] of operations.entries()) {
      const fixture = yield* withSession()
      failAt(fixture, number, systemError("EIO"))
      const told = yield* tagOf(fixture.store.remove(conversationId))
      fixture.step = undefined
      expect(told, `${number} ${operation}`).toBe(treeOf(fixture.dataRoot).length === 1 ? "ok" : "StorageFailed")
      if (operation === "unlink") {
        expect(treeOf(join(fixture.home, callFolder)).filter((path) => !path.endsWith("/"))).toHaveLength(1)
      }
      expect(yield* tagOf(fixture.store.remove(conversationId)), `${number} ${operation}`).toBe("ok")
      expect(treeOf(fixture.dataRoot)).toEqual(["conversations/"])
      expect(treeOf(fixture.outside)).toEqual(["kept"])
    }
  }))

it.effect("a removal cut off at any step goes on when it is repeated", () =>
  Effect.gen(function*() {
    const counted = yield* withSession()
    const operations = yield* operationsOf(counted, counted.store.remove(conversationId))
    for (const [number, operation] of operations.entries()) {
      const fixture = yield* withSession()
      failAt(fixture, number, new Error("cut off"))
      const exit = yield* Effect.exit(fixture.store.remove(conversationId))
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause), `${number} ${operation}`).toBe(true)
      fixture.step = undefined
      const left = yield* fixture.store.usage(conversationId)
      expect(yield* fixture.store.remove(conversationId)).toEqual(left)
      expect(treeOf(fixture.dataRoot)).toEqual(["conversations/"])
      expect(treeOf(fixture.outside)).toEqual(["kept"])
    }
  }))

it.effect("one folder that cannot be read stops neither a sweep nor its count", () =>
  Effect.gen(function*() {
    const fixture = yield* withSession()
    fixture.step = (operation, path) => {
      if (operation === "list" && path.endsWith("/files")) throw systemError("EIO")
    }
    const options = { known: () => false, olderThanMs: Number.NEGATIVE_INFINITY }
    const dry = yield* fixture.store.sweep({ ...options, dryRun: true })
    expect(dry.faults).toMatchObject([{ _tag: "StorageFailed", operation: "list", code: "EIO" }])
    expect(yield* fixture.store.sweep(options)).toEqual(dry)
    expect(treeOf(join(fixture.home, callFolder))).toEqual(["files/", "files/b", "files/deep/", "files/deep/c"])
  }))

it.effect("no operation leaves a descriptor open", () =>
  Effect.gen(function*() {
    const open = () => readdirSync("/proc/self/fd").length
    const fixture = yield* withSession()
    const before = open()
    for (let number = 0; number < 12; number++) {
      failAt(fixture, number, systemError("EIO"))
      yield* Effect.exit(fixture.store.write({ ...file, name: `n${number}` }))
      failAt(fixture, number, systemError("EIO"))
      yield* Effect.exit(fixture.store.usage(conversationId))
      failAt(fixture, number, systemError("EIO"))
      yield* Effect.exit(Effect.scoped(fixture.store.open({ path: `${callFolder}/a`, digest: "", sizeBytes: 1 }, call)))
    }
    fixture.step = undefined
    yield* fixture.store.remove(conversationId)
    expect(open()).toBe(before)
  }))
