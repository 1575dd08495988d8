import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect } from "vitest"
import { ledgerLayer, ledgerLayerWith } from "../ledger-layer.ts"
import { RunLedger } from "../runs.ts"
import { crashedHome, folderBytes } from "../testing/home-files.ts"
import { sampleId } from "../testing/sample-facts.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { backupPath, migrationChecksum } from "./migrate.ts"
import type { Migration } from "./migration.ts"
import { migrations } from "./migrations.ts"

const next = migrations.length + 1

const wider: Migration = {
  version: next,
  name: "wider",
  sql: "ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT 'kept'; CREATE TABLE extra (a TEXT) STRICT;"
}
const failing: Migration = { ...wider, sql: `${wider.sql} INSERT INTO absent VALUES (1);` }
const orphaning: Migration = { ...wider, sql: `${wider.sql} DELETE FROM run;` }

/** A home of this release, left with its last commit in the journal. */
const olderHome = crashedHome((file) => ledgerLayer({ file, access: "write" }))

const openWith = (file: string, added: Migration, access: "write" | "read" = "write") =>
  Layer.fresh(ledgerLayerWith({ file, access, migrations: [...migrations, added] }))

const runIds = RunLedger.use((runs) => Effect.map(runs.listRuns({ limit: 10 }), (rows) => rows.map(({ runId }) => runId)))

const columnsOf = (file: string, table: string): ReadonlyArray<string> => {
  const connection = new Database(file, { readonly: true })
  const columns = connection.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table)
  connection.close()
  return columns
}

const reasonOf = <A, E extends { readonly reason: unknown }>(layer: Layer.Layer<A, E>) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(layer))), (error) => error.reason)

describe("migrations", () => {
  it("that were released keep their text", () => {
    expect(migrations.map(migrationChecksum)).toEqual([
      "eb47c4b14a525cb89fc22104fa70f0bfcd09389083301dcfedf988986f69e31b",
      "bbf8b6e385cf7a8983954ea668642ddaedd51a2b235edc097d9f34c61ec38927",
      "1e5087a8325122b256b5892dc175cd45c863272206f9270bd0e797dfefd4783f"
    ])
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  })

  it.effect("of a new database need no backup and are recorded with their checksum", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const file = join(folder, "core.sqlite")
      expect(yield* Effect.provide(runIds, openWith(file, wider))).toEqual([])
      expect(readdirSync(folder)).toEqual(["core.sqlite"])
      const connection = new Database(file, { readonly: true })
      const recorded = connection.prepare("SELECT version, name, checksum, applied_at FROM schema_migration").all()
      connection.close()
      expect(recorded).toEqual([...migrations, wider].map((migration) => ({
        version: migration.version,
        name: migration.name,
        checksum: migrationChecksum(migration),
        applied_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      })))
    }))

  it.effect("of an older database keep its rows, after a private backup that still is the older one", () =>
    Effect.gen(function*() {
      const file = yield* olderHome
      expect(yield* Effect.provide(runIds, openWith(file, wider))).toEqual([sampleId.run(1)])
      expect(columnsOf(file, "run")).toContain("note")
      const backup = backupPath(file, migrations.length)
      expect(basename(backup)).toBe(`core.sqlite.backup-${migrations.length}`)
      expect(statSync(backup).mode & 0o777).toBe(0o600)
      expect(columnsOf(backup, "run")).not.toContain("note")
      expect(yield* Effect.provide(runIds, ledgerLayer({ file: backup, access: "read" }))).toEqual([sampleId.run(1)])
      expect(yield* Effect.provide(runIds, openWith(file, wider))).toEqual([sampleId.run(1)])
    }))

  for (const [what, migration] of [["a failing statement", failing], ["a row without its parent", orphaning]] as const) {
    it.effect(`that end in ${what} leave database and journal as they were`, () =>
      Effect.gen(function*() {
        const file = yield* olderHome
        const { "core.sqlite": database, "core.sqlite-wal": journal } = folderBytes(dirname(file))
        expect(journal?.length).toBeGreaterThan(0)
        expect(yield* reasonOf(openWith(file, migration))).toMatchObject({ _tag: "StorageFailed", operation: "open" })
        expect(folderBytes(dirname(file))).toMatchObject({ "core.sqlite": database, "core.sqlite-wal": journal })
        expect(yield* Effect.provide(runIds, ledgerLayer({ file, access: "write" }))).toEqual([sampleId.run(1)])
        expect(yield* Effect.provide(runIds, openWith(file, wider))).toEqual([sampleId.run(1)])
      }))
  }

  it.effect("of a database whose rows lost their parents in a repair go on, and keep them", () =>
    Effect.gen(function*() {
      const file = yield* olderHome
      const connection = new Database(file)
      connection.pragma("foreign_keys = OFF")
      connection.exec("DELETE FROM run")
      connection.close()
      expect(yield* Effect.provide(runIds, openWith(file, wider))).toEqual([])
      const migrated = new Database(file, { readonly: true })
      expect(migrated.prepare("SELECT run_id FROM session").pluck().all()).toEqual([sampleId.run(1)])
      migrated.close()
    }))

  it.effect("that were changed after they were applied are refused", () =>
    Effect.gen(function*() {
      const file = yield* olderHome
      yield* Effect.provide(runIds, openWith(file, wider))
      for (const access of ["write", "read"] as const) {
        expect(yield* reasonOf(openWith(file, { ...wider, sql: `${wider.sql} ` }, access)))
          .toMatchObject({ _tag: "StorageFailed", code: "MIGRATION_CHECKSUM" })
      }
    }))

  it.effect("of a newer release are refused, and not a byte changes", () =>
    Effect.gen(function*() {
      const file = yield* crashedHome((newer) => openWith(newer, wider))
      const { "core.sqlite": database, "core.sqlite-wal": journal } = folderBytes(dirname(file))
      expect(journal?.length).toBeGreaterThan(0)
      for (const access of ["write", "read"] as const) {
        expect(yield* reasonOf(ledgerLayer({ file, access })))
          .toMatchObject({ _tag: "StorageNewer", path: file, found: next, known: migrations.length })
      }
      expect(folderBytes(dirname(file))).toMatchObject({ "core.sqlite": database, "core.sqlite-wal": journal })
      expect(existsSync(backupPath(file, next))).toBe(false)
    }))

  it.effect("are not applied to a database of another program", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const file = join(folder, "core.sqlite")
      const connection = new Database(file)
      connection.exec("CREATE TABLE theirs (a)")
      connection.close()
      const before = folderBytes(folder)
      expect(yield* reasonOf(ledgerLayer({ file, access: "write" })))
        .toMatchObject({ _tag: "StorageFailed", code: "UNKNOWN_SCHEMA" })
      expect(folderBytes(folder)).toEqual(before)
    }))
})
