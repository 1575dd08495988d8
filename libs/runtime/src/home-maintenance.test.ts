import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Clock, Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { databaseFile } from "./database-file.ts"
import { homeMaintenanceLayer } from "./home-maintenance.ts"
import { type GcOptions, Maintenance } from "./maintenance.ts"
import { portOn, runCommand, temporaryFolder } from "./testing.ts"

const on = (path: string) => Effect.provide(homeMaintenanceLayer({ path, environment: { PATH: process.env["PATH"] } }))
const doctor = (path: string) => Effect.flatMap(Maintenance, (maintenance) => maintenance.doctor).pipe(on(path))
const repair = (path: string) => Effect.flatMap(Maintenance, (maintenance) => maintenance.repair).pipe(on(path))
const gc = (path: string, options: GcOptions) => Effect.flatMap(Maintenance, (maintenance) => maintenance.gc(options)).pipe(on(path))

const dayMs = 86_400_000

/** As if so many days had passed. */
const inDays = Effect.fnUntraced(function*<A, E>(days: number, effect: Effect.Effect<A, E>) {
  const now = yield* Clock.Clock
  const later: Clock.Clock = {
    currentTimeMillisUnsafe: () => now.currentTimeMillisUnsafe() + days * dayMs,
    currentTimeMillis: Effect.map(now.currentTimeMillis, (ms) => ms + days * dayMs),
    currentTimeNanosUnsafe: () => now.currentTimeNanosUnsafe(),
    currentTimeNanos: now.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => now.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: now.monotonicTimeNanos,
    sleep: (duration) => now.sleep(duration)
  }
  return yield* Effect.provideService(effect, Clock.Clock, later)
})

const nothing = { runs: 0, bytes: 0 }

describe("maintenance of a home", () => {
  it.live("that does not exist finds and collects nothing, and makes none", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = join(yield* temporaryFolder, "none")
      assert.isTrue((yield* doctor(home)).ok)
      assert.deepStrictEqual(yield* gc(home, { olderThanMs: 0, dryRun: false }), { family: "gc", removed: nothing, kept: nothing, dryRun: false })
      assert.isFalse(existsSync(home))
    })))

  it.live("examines one that cannot be opened, and refuses to collect there", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      writeFileSync(databaseFile(home), "this is no database, and long enough to be read as one".repeat(100))
      const examined = yield* doctor(home)
      assert.isFalse(examined.ok)
      assert.include(examined.findings.filter(({ severity }) => severity === "error").map(({ code }) => code), "database")
      yield* Effect.flip(gc(home, { olderThanMs: 0, dryRun: false }))
    })))

  it.live("warns of a write-ahead log that somebody's open transaction keeps from becoming short", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      yield* runCommand("true", yield* temporaryFolder).pipe(Effect.provide(portOn(home)))
      const journal = Effect.map(doctor(home), ({ findings }) => findings.find(({ code }) => code === "journal"))
      assert.strictEqual((yield* journal)?.severity, "ok")
      const [reader, writer] = [new Database(databaseFile(home), { readonly: true }), new Database(databaseFile(home))]
      reader.exec("BEGIN")
      reader.prepare("SELECT count(*) FROM run").get()
      writer.exec("CREATE TABLE filler (a)")
      const fill = writer.prepare("INSERT INTO filler VALUES (zeroblob(1048576))")
      for (let mebibyte = 0; mebibyte < 66; mebibyte++) fill.run()
      assert.strictEqual((yield* journal)?.severity, "warning")
      reader.close()
      writer.close()
    })))

  it.live("keeps the files of Sessions that a repair could not save from gc and retention, while the copy of the database is kept", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      for (const text of ["one", "two"]) yield* runCommand(`echo ${text}`, workspace).pipe(Effect.provide(portOn(home)))
      const folder = join(home, "data", "conversations")
      const sessions = readdirSync(folder).sort()
      const database = new Database(databaseFile(home))
      const root = database.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'session'").pluck().get() ?? 0
      database.close()
      const bytes = readFileSync(databaseFile(home))
      writeFileSync(databaseFile(home), bytes.fill(0, (root - 1) * 4096, root * 4096))
      const { findings, ok } = yield* repair(home)
      assert.isFalse(ok)
      assert.deepStrictEqual(findings.filter(({ code }) => code === "session-lost").map(({ subject }) => subject).sort(), sessions)
      const later = (dryRun: boolean) => inDays(400, gc(home, { olderThanMs: 0, dryRun }))
      assert.strictEqual((yield* later(true)).removed.bytes, 0)
      yield* later(false)
      assert.deepStrictEqual(readdirSync(folder).sort(), sessions)
      for (const name of readdirSync(home).filter((one) => one.includes(".corrupt-"))) rmSync(join(home, name))
      yield* later(false)
      assert.deepStrictEqual(readdirSync(folder), [])
    })))

  it.live("collects by the age that is given, else by the home's own setting", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      yield* runCommand("echo kept", yield* temporaryFolder).pipe(Effect.provide(portOn(home)))
      mkdirSync(join(home, "config"))
      const removedIn = (days: number, options: Partial<GcOptions> = {}) =>
        Effect.map(inDays(days, gc(home, { dryRun: true, ...options })), ({ removed }) => removed.runs)
      assert.strictEqual(yield* removedIn(1_000), 0)
      assert.strictEqual(yield* removedIn(0, { olderThanMs: 0 }), 1)
      writeFileSync(join(home, "config", "steno.json"), "{\"retentionDays\":3}")
      assert.deepStrictEqual([yield* removedIn(2), yield* removedIn(4)], [0, 1])
      assert.strictEqual(yield* removedIn(4, { olderThanMs: 5 * dayMs }), 0)
    })))
})
