import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CallLedger } from "../calls.ts"
import { ledgerLayer } from "../ledger-layer.ts"
import { RunLedger } from "../runs.ts"
import { sampleAdmission, sampleAsset, sampleCall, sampleId, sampleInstant, sampleResponse } from "../testing.ts"
import { lockHolder, runChild } from "../testing/child-process.ts"
import { leaveBehind } from "../testing/home-files.ts"
import { fillHome } from "../testing/sample-home.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { keptCopies } from "./database-copy.ts"
import { holdersOf } from "./database-hold.ts"
import { repairDatabase, repairPoints } from "./repair-database.ts"

const restore = () => Effect.succeed([])
const pageBytes = 4096

/** Number of a page of a table, by what `dbstat` says. */
const pageOf = (file: string, name: string, kind: "leaf" | "internal"): number => {
  const database = new Database(file, { readonly: true })
  const pages = database.prepare<[string, string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path").pluck().all(name, kind)
  database.close()
  return pages[0] ?? expect.fail(`no page of ${name}`)
}

const overwrite = (file: string, page: number): void => {
  const bytes = readFileSync(file)
  bytes.fill(0, (page - 1) * pageBytes, page * pageBytes)
  writeFileSync(file, bytes)
}

const runIds = (file: string) => {
  const database = new Database(file, { readonly: true })
  const ids = database.prepare<[], string>("SELECT run_id FROM run NOT INDEXED ORDER BY run_id").pluck().all()
  database.close()
  return ids
}

/** A home of 60 Runs, its last commits in the log alone, one page of the table of Runs overwritten. */
const damagedHome = Effect.gen(function*() {
  const source = join(yield* temporaryFolder, "core.sqlite")
  const file = join(yield* temporaryFolder, "core.sqlite")
  yield* fillHome(source, 60)
  const whole = yield* Effect.gen(function*() {
    const runs = yield* RunLedger
    for (const number of [201, 202]) yield* runs.admitRun(sampleAdmission(number))
    leaveBehind(source, file)
    return runIds(source)
  }).pipe(Effect.provide(ledgerLayer({ file: source, access: "write" })))
  overwrite(file, pageOf(source, "run", "leaf"))
  return { file, whole }
})

const filesOf = (file: string) => readdirSync(dirname(file)).sort()

describe("a repair", () => {
  it.effect("keeps the damaged bytes, those of the log too, private, before anything else", () =>
    Effect.gen(function*() {
      const { file, whole } = yield* damagedHome
      const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
      const { copy, losses, restored } = yield* repairDatabase({ file, restore })
      expect(copy).toMatch(/core\.sqlite\.corrupt-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/)
      expect(keptCopies(file)).toEqual([copy])
      expect(readFileSync(copy).equals(database)).toBe(true)
      expect(readFileSync(`${copy}-wal`).equals(log)).toBe(true)
      expect(statSync(copy).mode & 0o777).toBe(0o600)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(filesOf(file)).toEqual(["core.sqlite", copy, `${copy}-wal`, `${copy}.losses.json`].map((path) => path.split("/").at(-1)).sort())
      const lost = losses.find(({ table }) => table === "run")?.rows.map(({ known }) => known["run_id"]) ?? []
      expect([lost.length > 0, restored.runs > 0]).toEqual([true, true])
      expect([...runIds(file), ...lost].sort()).toEqual(whole)
    }))

  it.effect("takes over what only the log holds, and leaves a home that goes on", () =>
    Effect.gen(function*() {
      const { file } = yield* damagedHome
      yield* repairDatabase({ file, restore })
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        expect((yield* runs.listRuns({ limit: 2 })).map(({ runId }) => runId)).toEqual([sampleId.run(202), sampleId.run(201)])
        yield* runs.admitRun(sampleAdmission(203))
        expect((yield* runs.readRun(sampleId.run(203)))?.events).toHaveLength(1)
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
    }))

  it.effect.each(repairPoints)("killed when it has %s leaves the damaged database or the new one, with a copy, and can be repeated", (point) =>
    Effect.gen(function*() {
      const { file, whole } = yield* damagedHome
      const damaged = readFileSync(file)
      expect((yield* runChild({ do: "repair-until", file, point })).signal).toBe("SIGKILL")
      expect(filesOf(file).filter((name) => name.includes("repair-lock"))).toEqual([])
      if (point === "swapped") expect(runIds(file).length).toBeLessThan(whole.length)
      else {
        expect(statSync(file).size).toBeGreaterThanOrEqual(damaged.length)
        expect(existsSync(`${file}-wal`)).toBe(point === "held" || point === "copied")
      }
      expect(keptCopies(file)).toHaveLength(point === "held" ? 0 : 1)
      const { losses } = yield* repairDatabase({ file, restore })
      const lost = losses.flatMap(({ rows, table }) => table === "run" ? rows.map(({ known }) => known["run_id"]) : [])
      const found = runIds(file)
      expect(found).toContain(sampleId.run(202))
      if (point === "swapped") expect(lost).toEqual([])
      else expect([...found, ...lost].sort()).toEqual(whole)
      expect(filesOf(file).filter((name) => !name.includes(".corrupt-"))).toEqual(["core.sqlite"])
    }))

  it.live("is refused while another process has the database open, which is named, and touches nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { file } = yield* damagedHome
      const holder = yield* lockHolder(file)
      const before = readFileSync(file)
      const { reason } = yield* Effect.flip(repairDatabase({ file, restore }))
      expect(reason).toMatchObject({ _tag: "StorageInUse", path: file, pids: process.platform === "linux" ? [holder.pid] : [] })
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(keptCopies(file)).toEqual([])
      yield* holder.release
      yield* repairDatabase({ file, restore })
      expect(holdersOf(file)).toEqual([])
    })))

  it.effect("keeps others out meanwhile", () =>
    Effect.gen(function*() {
      const { file } = yield* damagedHome
      let refusal: unknown
      yield* repairDatabase({
        file,
        restore,
        failpoint: (point) => {
          if (point !== "written") return
          const other = new Database(file, { timeout: 0 })
          try {
            other.prepare("SELECT count(*) FROM run").get()
          } catch (cause) {
            refusal = cause
          } finally {
            other.close()
          }
        }
      })
      expect(refusal).toMatchObject({ code: "SQLITE_BUSY" })
    }))

  it.effect.each<readonly [string, string, string]>([
    ["as this release makes it", "", ""],
    ["as older releases made it", "PRAGMA journal_mode = WAL", ""],
    ["rewritten", "", "VACUUM"],
    ["of an older release, copied", "PRAGMA journal_mode = WAL", "VACUUM"],
    ["of an older release, rewritten", "PRAGMA journal_mode = WAL", "PRAGMA auto_vacuum = INCREMENTAL; VACUUM"]
  ])("finds everything in a database %s whose first page is gone", ([, first, last]) =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "core.sqlite")
      const perform = (sql: string) => {
        const database = new Database(file)
        database.exec(sql)
        database.close()
      }
      if (first !== "") perform(first)
      yield* fillHome(file, 60)
      if (last !== "") perform(last)
      const whole = runIds(file)
      overwrite(file, 1)
      const { losses } = yield* repairDatabase({ file, restore })
      expect(losses.flatMap(({ rows }) => rows)).toEqual([])
      expect(losses.filter(({ isUncertain }) => isUncertain)).toEqual([])
      expect(runIds(file)).toEqual(whole)
    }))

  it.effect("of a file that was cut off gives back what is left of it", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "core.sqlite")
      yield* fillHome(file, 60)
      const whole = runIds(file)
      truncateSync(file, Math.floor(statSync(file).size * 0.6))
      const { losses } = yield* repairDatabase({ file, restore })
      const left = runIds(file)
      expect(left.length).toBeGreaterThan(0)
      expect(whole).toEqual(expect.arrayContaining([...left]))
      expect(losses.some(({ rows }) => rows.length > 0)).toBe(true)
    }))

  it.effect("makes the row of a file anew where its response is there, from what the file itself says", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "core.sqlite")
      const facts = { observedBytes: 5, storedBytes: 5, droppedBytes: 0, observedLines: 1, storedLines: 1 }
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        const calls = yield* CallLedger
        yield* runs.admitRun(sampleAdmission(1))
        const fence = { runId: sampleId.run(1), epoch: 1 }
        yield* calls.createToolCalls(fence, [sampleCall(1, 1)])
        yield* calls.settleToolCall(fence, {
          callId: sampleId.call(1),
          from: { state: "running", claim: "claim" },
          response: sampleResponse(1, { assetIds: [sampleId.asset(1)], capture: { stdout: facts, stderr: facts, output: facts } }),
          assets: [sampleAsset(1, 1)],
          at: sampleInstant(3)
        })
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
      const database = new Database(file, { readonly: true })
      const root = database.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'asset'").pluck().get() ?? 0
      database.close()
      overwrite(file, root)
      const asked: Array<unknown> = []
      const repaired = yield* repairDatabase({
        file,
        restore: (lost) => {
          asked.push(...lost)
          return Effect.succeed([sampleAsset(1, 1), { ...sampleAsset(1, 2), callId: sampleId.call(9) }, sampleAsset(1, 3)])
        }
      })
      expect(asked).toMatchObject([{ conversationId: sampleId.conversation(1), callId: sampleId.call(1), assetIds: [sampleId.asset(1)] }])
      expect(repaired.restored.assets).toEqual([sampleAsset(1, 1)])
      const record = yield* RunLedger.use((runs) => runs.readRun(sampleId.run(1))).pipe(Effect.provide(ledgerLayer({ file, access: "read" })))
      expect(record?.assets).toEqual([sampleAsset(1, 1)])
    }))
})
