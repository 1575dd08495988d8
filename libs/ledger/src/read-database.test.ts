import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect } from "vitest"
import { ledgerLayer, ledgerLayerWith } from "./ledger-layer.ts"
import { migrations } from "./migrations/migrations.ts"
import { RunLedger } from "./runs.ts"
import { runChild } from "./testing/child-process.ts"
import { crashedHome, folderBytes, leaveBehind } from "./testing/home-files.ts"
import { sampleAdmission, sampleId } from "./testing/sample-facts.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const writing = (file: string) => ledgerLayer({ file, access: "write" })
const reading = (file: string) => ledgerLayer({ file, access: "read" })

const readRun = RunLedger.use((runs) => runs.readRun(sampleId.run(1)))
const privateCopies = () => readdirSync(tmpdir())

const outerTemporary = tmpdir()
const innerTemporary = mkdtempSync(join(outerTemporary, "steno-copies-"))
beforeAll(() => {
  chmodSync(innerTemporary, 0o777)
  process.env["TMPDIR"] = innerTemporary
})
afterAll(() => {
  process.env["TMPDIR"] = outerTemporary
  rmSync(innerTemporary, { recursive: true })
})

/** Makes a home such that another user can read, but not change it. */
const openToOthers = (file: string): void => {
  for (const name of readdirSync(dirname(file))) chmodSync(join(dirname(file), name), 0o444)
  chmodSync(dirname(file), 0o555)
}

describe("reading", () => {
  it.effect("sees what is committed, and later commits of others, and can write nothing", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "core.sqlite")
      const writer = yield* Layer.build(writing(file))
      const reader = yield* Layer.build(reading(file))
      yield* Effect.provideContext(RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))), writer)
      const stored = yield* Effect.provideContext(readRun, writer)
      expect(stored?.events).toHaveLength(1)
      expect(yield* Effect.provideContext(readRun, reader)).toEqual(stored)
      const write = RunLedger.use((runs) => Effect.flip(runs.admitRun(sampleAdmission(2))))
      expect((yield* Effect.provideContext(write, reader)).reason)
        .toMatchObject({ _tag: "StorageReadOnly", operation: "admitRun", path: file })
    }))

  it.effect("a missing file, a missing folder or an empty file reads as empty and creates nothing", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "empty.sqlite"), "")
      for (const name of ["core.sqlite", "absent/core.sqlite", "empty.sqlite"]) {
        const list = RunLedger.use((runs) => runs.listRuns({ limit: 1 }))
        expect(yield* Effect.provide(list, reading(join(folder, name)))).toEqual([])
      }
      expect(readdirSync(folder)).toEqual(["empty.sqlite"])
    }))

  it.effect("an older database is read as of this release, from a copy that goes with the scope", () =>
    Effect.gen(function*() {
      const file = yield* crashedHome(writing)
      const { "core.sqlite": database, "core.sqlite-wal": journal } = folderBytes(dirname(file))
      const added = { version: migrations.length + 1, name: "second", sql: "CREATE TABLE second (a TEXT) STRICT" }
      const layer = ledgerLayerWith({ file, access: "read", migrations: [...migrations, added] })
      const before = privateCopies().length
      const during = yield* Effect.provide(
        Effect.map(readRun, (record) => ({ record, copies: privateCopies().length })),
        layer
      )
      expect(during.record?.run.runId).toBe(sampleId.run(1))
      expect(during.copies).toBe(before + 1)
      expect(privateCopies()).toHaveLength(before)
      expect(folderBytes(dirname(file))).toMatchObject({ "core.sqlite": database, "core.sqlite-wal": journal })
    }))
})

describe("a home this user may only read", () => {
  const use = (file: string, access: "write" | "read") =>
    Effect.map(runChild({ do: "use-as-nobody", file, access }), ({ said }) => said)

  it.effect("is read whole when it was closed, when its process was killed, and while it is used", () =>
    Effect.gen(function*() {
      const closed = join(yield* temporaryFolder, "core.sqlite")
      yield* Effect.provide(RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))), writing(closed))
      const record = yield* Effect.provide(readRun, reading(closed))
      leaveBehind(closed, `${closed}.whole`)
      const whole = join(yield* temporaryFolder, "core.sqlite")
      leaveBehind(`${closed}.whole`, whole)
      const killed = yield* crashedHome(writing)
      const used = join(yield* temporaryFolder, "core.sqlite")
      const writer = yield* Layer.build(writing(used))
      yield* Effect.provideContext(RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))), writer)
      expect(existsSync(`${used}-shm`)).toBe(true)
      const copies = privateCopies()
      for (const file of [whole, killed, used]) {
        openToOthers(file)
        const before = folderBytes(dirname(file))
        expect(yield* use(file, "read"), file).toEqual({ runs: [sampleId.run(1)], record, wrote: "StorageReadOnly" })
        expect(Object.keys(folderBytes(dirname(file)))).toEqual(Object.keys(before))
        expect(folderBytes(dirname(file))["core.sqlite"]).toBe(before["core.sqlite"])
      }
      expect(privateCopies()).toEqual(copies)
    }))

  it.effect("says so when it is opened for writing, and what is wrong when it cannot be read at all", () =>
    Effect.gen(function*() {
      const file = yield* crashedHome(writing)
      openToOthers(file)
      expect(yield* use(file, "write")).toEqual({ failed: "StorageReadOnly" })
      chmodSync(file, 0o666)
      expect(yield* use(file, "write")).toEqual({ failed: "StorageReadOnly" })
      chmodSync(file, 0o000)
      for (const access of ["read", "write"] as const) {
        expect(yield* use(file, access)).toEqual({ failed: "StorageFailed", code: "EACCES" })
      }
      chmodSync(dirname(file), 0o000)
      expect(yield* use(file, "read")).toEqual({ failed: "StorageFailed", code: "EACCES" })
    }))

  it.effect("without a database says for writing that it may only be read, and reads as empty", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      chmodSync(folder, 0o555)
      const file = join(folder, "core.sqlite")
      expect(yield* use(file, "write")).toEqual({ failed: "StorageReadOnly" })
      expect(yield* use(file, "read")).toEqual({ runs: [], wrote: "StorageReadOnly" })
    }))
})
