import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { callFolder, conversationId, makeFixture, treeOf } from "./store-fixture.ts"
import { spawnStore } from "./spawned-store.ts"
import type { StoreTask } from "./store-process.ts"

/** Kills the process that does `task` at its stop. */
const killed = (task: StoreTask) =>
  Effect.promise(async () => {
    const { child, ended, spoke } = spawnStore(task)
    expect(await spoke).toBe("reached")
    expect(child.kill("SIGKILL")).toBe(true)
    await ended
    expect(child.signalCode).toBe("SIGKILL")
  })

const isTemporary = (name: string): boolean => name.startsWith(".steno-write-")

it.effect.each([
  { name: "in the middle of its bytes", operation: "write", count: 3, left: { temporary: 1, named: 0 } },
  { name: "before the name", operation: "link", count: 1, left: { temporary: 1, named: 0 } },
  { name: "with both names", operation: "unlink", count: 1, left: { temporary: 1, named: 1 } },
  { name: "between file and row", operation: "stat", count: Number.NaN, left: { temporary: 0, named: 1 } }
] as const)("a writer killed $name leaves what the sweep removes, and keeps for an hour", ({ count, left, operation }) =>
  Effect.gen(function*() {
    const { dataRoot, home, store } = yield* makeFixture()
    const task = { do: "write", dataRoot, sizeBytes: 300_000 } as const
    if (Number.isNaN(count)) yield* Effect.promise(() => spawnStore(task).ended)
    else yield* killed({ ...task, stopAt: { operation, count } })
    const names = readdirSync(join(home, callFolder))
    expect({ temporary: names.filter(isTemporary).length, named: names.filter((name) => name === "result.json").length }).toEqual(left)
    const now = new Date().getTime()
    yield* TestClock.setTime(now + 3_590_000)
    expect(yield* store.sweep({ known: () => false })).toMatchObject({ files: 0, folders: 0 })
    yield* TestClock.setTime(now + 3_700_000)
    const dry = yield* store.sweep({ known: () => false, dryRun: true })
    expect(yield* store.sweep({ known: () => false })).toEqual(dry)
    expect(dry).toMatchObject({ files: left.temporary + left.named, folders: 3 })
    expect(treeOf(dataRoot)).toEqual(["conversations/"])
  }))

it.effect("a file of a killed writer with a row stays, its temporary name goes", () =>
  Effect.gen(function*() {
    const { dataRoot, home, store } = yield* makeFixture()
    yield* killed({ do: "write", dataRoot, sizeBytes: 300_000, stopAt: { operation: "unlink", count: 1 } })
    yield* TestClock.setTime(new Date().getTime() + 3_700_000)
    expect(yield* store.sweep({ known: (path) => path === callFolder })).toMatchObject({ files: 1, folders: 0 })
    expect(treeOf(join(home, callFolder))).toEqual(["result.json"])
  }))

it.effect("a removal that was killed goes on when it is repeated", () =>
  Effect.gen(function*() {
    const { dataRoot, home, store } = yield* makeFixture()
    mkdirSync(join(home, callFolder, "files"), { recursive: true, mode: 0o700 })
    for (const name of ["a", "b", "files/c", "files/d"]) writeFileSync(join(home, callFolder, name), "x")
    yield* killed({ do: "remove", dataRoot, stopAt: { operation: "remove-folder", count: 2 } })
    expect(treeOf(dataRoot).length).toBeGreaterThan(1)
    yield* store.remove(conversationId)
    expect(treeOf(dataRoot)).toEqual(["conversations/"])
  }))

it.effect("a removal opens folders that a tool closed to writing", () =>
  Effect.gen(function*() {
    const { dataRoot, home } = yield* makeFixture()
    const folders = ["data", "data/conversations", "data/conversations/conv_A", "data/conversations/conv_A/tool-calls", callFolder, `${callFolder}/cache`]
    for (const folder of folders) mkdirSync(join(home, folder), { mode: 0o700 })
    const file = join(home, callFolder, "cache", "module")
    writeFileSync(file, "x", { mode: 0o400 })
    for (const path of [home, ...folders.map((folder) => join(home, folder)), file]) chownSync(path, 65_534, 65_534)
    chmodSync(join(home, callFolder, "cache"), 0o555)
    const said = yield* Effect.promise(() => spawnStore({ do: "remove", dataRoot }, { uid: 65_534 }).ended)
    expect(JSON.parse(said)).toMatchObject({ ok: { files: 1, folders: 4 } })
    expect(treeOf(dataRoot)).toEqual(["conversations/"])
  }))
