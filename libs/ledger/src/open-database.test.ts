import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect } from "vitest"
import { Failpoint } from "./failpoint.ts"
import { ledgerLayer, ledgerLayerWith } from "./ledger-layer.ts"
import { migrations } from "./migrations/migrations.ts"
import { openDatabase } from "./open-database.ts"
import { RunLedger } from "./runs.ts"
import { checkSqliteVersion } from "./sqlite-client.ts"
import { folderBytes } from "./testing/home-files.ts"
import { sampleAdmission, sampleId } from "./testing/sample-facts.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const newFile = Effect.map(temporaryFolder, (folder) => join(folder, "core.sqlite"))

const reasonOf = (file: string, access: "write" | "read" = "write") =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(ledgerLayer({ file, access })))), ({ reason }) => reason)

const admit = (number: number, input?: string) =>
  RunLedger.use((runs) => runs.admitRun(sampleAdmission(number, input)))

const runIds = RunLedger.use((runs) => Effect.map(runs.listRuns({ limit: 1000 }), (rows) => rows.map(({ runId }) => runId)))

describe("opening for writing", () => {
  it.effect("makes a private file with a write-ahead log, full durability, foreign keys and no waiting for locks", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const connection = yield* openDatabase({ file, access: "write", migrations })
      const setting = (name: string) => connection.pragma(name, { simple: true })
      expect(setting("journal_mode")).toBe("wal")
      expect(setting("synchronous")).toBe(2)
      expect(setting("foreign_keys")).toBe(1)
      expect(setting("busy_timeout")).toBe(0)
      expect(setting("wal_autocheckpoint")).toBe(1000)
      const loose = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'"
      expect(connection.prepare(loose).all()).toEqual([])
      for (const name of readdirSync(dirname(file))) expect(statSync(join(dirname(file), name)).mode & 0o777).toBe(0o600)
    }))

  it.effect("leaves one file and no journal when it is closed", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.provide(admit(1), ledgerLayer({ file, access: "write" }))
      expect(readdirSync(dirname(file))).toEqual(["core.sqlite"])
    }))

  it.effect("needs the parent folder", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "absent", "core.sqlite")
      expect(yield* reasonOf(file)).toMatchObject({ _tag: "StorageFailed", operation: "open", path: file, code: "ENOENT" })
    }))

  it.effect("refuses a file that is no database and leaves it", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      writeFileSync(file, "not a database, but long enough to look like one ".repeat(100))
      const before = folderBytes(dirname(file))
      for (const access of ["write", "read"] as const) {
        expect(yield* reasonOf(file, access)).toMatchObject({ _tag: "StorageDamaged", code: "SQLITE_NOTADB" })
      }
      expect(folderBytes(dirname(file))).toEqual(before)
    }))

  it.effect("refuses a folder and a dangling link", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "folder"))
      symlinkSync(join(folder, "absent"), join(folder, "link"))
      expect(yield* reasonOf(join(folder, "folder"))).toMatchObject({ _tag: "StorageFailed" })
      expect(yield* reasonOf(join(folder, "link"))).toMatchObject({ _tag: "StorageFailed" })
    }))

  it("refuses versions of SQLite that can corrupt a shared journal", () => {
    const check = (version: string) => () => checkSqliteVersion("core.sqlite", version)
    for (const version of ["3.51.3", "3.52.0", "3.54.1", "4.0.0"]) expect(check(version)).not.toThrow()
    for (const version of ["3.51.2", "3.50.9", "3.9.99", "2.60.5", "0"]) {
      expect(check(version)).toThrow(expect.objectContaining({ reason: expect.objectContaining({ code: "SQLITE_VERSION" }) }))
    }
  })
})

describe("a full disk", () => {
  it.effect("refuses a write as full, keeps what was committed, and lets later writes through", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const full = Effect.gen(function*() {
        yield* admit(1)
        const { reason } = yield* Effect.flip(admit(2, "x".repeat(400_000)))
        expect(reason).toMatchObject({ _tag: "StorageFull", operation: "admitRun", path: file })
        expect(yield* runIds).toEqual([sampleId.run(1)])
        yield* admit(3)
        expect(yield* runIds).toEqual([sampleId.run(3), sampleId.run(1)])
      })
      yield* Effect.provide(full, ledgerLayerWith({ file, access: "write", migrations, maximumPages: 100 }))
      yield* Effect.provide(admit(2, "x".repeat(400_000)), ledgerLayer({ file, access: "write" }))
    }))

  it.effect("refuses a new home as full", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const layer = ledgerLayerWith({ file, access: "write", migrations, maximumPages: 3 })
      const { reason } = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      expect(reason).toMatchObject({ _tag: "StorageFull", operation: "open" })
      yield* Effect.provide(admit(1), ledgerLayer({ file, access: "write" }))
    }))

  for (const [code, tag] of [
    ["SQLITE_FULL", "StorageFull"],
    ["SQLITE_READONLY_DBMOVED", "StorageReadOnly"],
    ["SQLITE_IOERR_FSYNC", "StorageFailed"],
    ["SQLITE_CORRUPT", "StorageDamaged"]
  ] as const) {
    it.effect(`met at the commit (${code}) rolls back, and the ledger stays usable`, () =>
      Effect.gen(function*() {
        const file = yield* newFile
        let fault = true
        const failpoint = Layer.succeed(Failpoint, (point: string) => {
          if (fault && point === "admitRun:before-commit") throw new Database.SqliteError("injected", code)
        })
        yield* Effect.gen(function*() {
          const { reason } = yield* Effect.flip(admit(1))
          expect(reason).toMatchObject({ _tag: tag, operation: "admitRun", path: file })
          expect(yield* runIds).toEqual([])
          fault = false
          yield* admit(1)
        }).pipe(Effect.provide(Layer.provide(ledgerLayer({ file, access: "write" }), failpoint)))
      }))
  }
})
