import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { cpSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { CallLedger } from "./calls.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { RetentionLedger } from "./retention.ts"
import { RunLedger } from "./runs.ts"
import { sampleAdmission, sampleCall, sampleId, sampleInstant, sampleOwner, sampleResponse, sampleSettlement } from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { TurnLedger } from "./turns.ts"

const newFile = Effect.map(temporaryFolder, (folder) => join(folder, "core.sqlite"))
const writing = (file: string) => ledgerLayer({ file, access: "write" })
const giveBackPages = RetentionLedger.use((retention) => retention.giveBackPages)
const everyTenth = (number: number): boolean => number % 10 === 0

/** Starts Runs from 1 on, each at rest with `text` as the output of its call. */
const startRuns = Effect.fnUntraced(function*(count: number, text: string) {
  const runs = yield* RunLedger
  for (let number = 1; number <= count; number++) {
    const { runId, epoch } = yield* runs.admitRun(sampleAdmission(number))
    const fence = { runId, epoch }
    yield* CallLedger.use((calls) => calls.createToolCalls(fence, [sampleCall(number, number)]))
    yield* TurnLedger.use((turns) =>
      turns.settleTurn(fence, {
        ...sampleSettlement(number),
        responses: [{ response: sampleResponse(number, { retainedOutput: { text } }), assets: [] }],
        rest: "succeeded"
      }))
  }
})

/** Removes those of the first `count` Runs that `isKept` does not name. */
const removeRuns = Effect.fnUntraced(function*(count: number, isKept: (number: number) => boolean) {
  const runs = yield* RunLedger
  const retention = yield* RetentionLedger
  const at = sampleInstant(90)
  for (let number = 1; number <= count; number++) {
    if (isKept(number)) continue
    const fence = yield* runs.takeOver({ runId: sampleId.run(number), epoch: 1, owner: sampleOwner(1), at })
    yield* retention.buryRun(fence, at)
    yield* retention.removeRun(fence.runId)
  }
})

const readAll = Effect.gen(function*() {
  const runs = yield* RunLedger
  const rows = yield* runs.listRuns({ limit: 100 })
  return yield* Effect.forEach(rows, ({ runId }) => runs.readRun(runId))
})

const pagesOf = (file: string) => {
  const connection = new Database(file, { readonly: true })
  const value = (name: string) => Number(connection.pragma(name, { simple: true }))
  const pages = { all: value("page_count"), free: value("freelist_count"), mode: value("auto_vacuum"), sound: connection.pragma("integrity_check", { simple: true }) }
  connection.close()
  return pages
}

const text = "x".repeat(60_000)
const pageBytes = 4_096

describe("free pages", () => {
  it.live("are given back after most Runs are gone: the file holds little but the rows that are left, and these are whole", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        yield* startRuns(60, text)
        yield* removeRuns(60, everyTenth)
        const kept = yield* readAll
        expect(kept.map((record) => record?.run.runId)).toEqual([60, 50, 40, 30, 20, 10].map(sampleId.run))
        const before = pagesOf(file)
        expect(before.free / before.all).toBeGreaterThan(0.5)
        yield* giveBackPages
        const { all, free, sound } = pagesOf(file)
        expect([free / all < 0.1, sound]).toEqual([true, "ok"])
        expect(all).toBeLessThanOrEqual(2 * (before.all - before.free))
        expect(statSync(file).size).toBe(all * pageBytes)
        expect(yield* readAll).toEqual(kept)
      }).pipe(Effect.provide(writing(file)))
    }))

  it.live("go at most 64 in one transaction, with other work and other writers in between", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        yield* startRuns(40, text)
        yield* removeRuns(40, everyTenth)
        const sizes = [pagesOf(file).all]
        const other = new Database(file, { timeout: 0 })
        const write = other.prepare("UPDATE run SET settled_at = settled_at WHERE run_id = ?")
        const fiber = yield* Effect.forkChild(giveBackPages)
        while (fiber.pollUnsafe() === undefined) {
          sizes.push(pagesOf(file).all)
          write.run(sampleId.run(10))
          yield* runs.runRow(sampleId.run(10))
          yield* Effect.yieldNow
        }
        other.close()
        const moved = sizes.slice(1).map((size, index) => (sizes[index] ?? 0) - size)
        expect(moved.filter((pages) => pages > 0).length).toBeGreaterThan(3)
        expect(Math.max(...moved)).toBeLessThanOrEqual(64 + 1)
      }).pipe(Effect.provide(writing(file)))
    }))

  it.live("stay where they are few, and nothing is written then", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        yield* startRuns(40, text)
        yield* removeRuns(1, () => false)
        const [pages, journal] = [pagesOf(file), statSync(`${file}-wal`)]
        expect(pages.free).toBeGreaterThan(0)
        yield* giveBackPages
        expect(pagesOf(file)).toEqual(pages)
        expect(statSync(`${file}-wal`).mtimeMs).toBe(journal.mtimeMs)
      }).pipe(Effect.provide(writing(file)))
    }))

  it.live("are given back also while another connection keeps a transaction open; the file is cut once that is over", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        yield* startRuns(40, text)
        const reader = new Database(file, { readonly: true })
        reader.exec("BEGIN")
        reader.prepare("SELECT count(*) FROM run").get()
        yield* removeRuns(40, everyTenth)
        const size = statSync(file).size
        yield* giveBackPages
        expect(pagesOf(file).free).toBe(0)
        expect(statSync(file).size).toBeGreaterThanOrEqual(size)
        expect(reader.prepare("SELECT count(*) FROM run").pluck().get()).toBe(40)
        reader.close()
      }).pipe(Effect.provide(writing(file)))
      expect(statSync(file).size).toBe(pagesOf(file).all * pageBytes)
      expect(pagesOf(file)).toMatchObject({ free: 0, sound: "ok" })
    }))

  for (const schema of ["0001", "0002"]) {
    it.live(`of a home of schema ${schema} are given back once no Run is live: its file is rewritten, its Runs are as they were`, () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        cpSync(fileURLToPath(new URL(`../goldens/home-${schema}`, import.meta.url)), folder, { recursive: true })
        const file = join(folder, "core.sqlite")
        yield* Effect.gen(function*() {
          const runs = yield* RunLedger
          yield* startRuns(40, text)
          yield* removeRuns(40, everyTenth)
          const [live] = yield* runs.ownedRuns
          if (live === undefined) return expect.fail("The golden home has no Run that is live")
          const before = pagesOf(file)
          yield* giveBackPages
          expect(pagesOf(file)).toEqual(before)
          const { turns: [turn], unfinished: [call] } = (yield* runs.readRun(live.runId)) ?? expect.fail("The live Run is not read")
          if (turn === undefined || call === undefined) return expect.fail("The live Run has no Turn or no call")
          yield* TurnLedger.use((turns) =>
            turns.settleTurn({ runId: live.runId, epoch: live.epoch }, {
              ...turn,
              settled: { result: "lost", availability: "open" },
              responses: [{ response: { ...sampleResponse(1, { outcome: "indeterminate" }), callId: call.callId }, assets: [] }],
              rest: "halted",
              at: sampleInstant(91)
            }))
          const records = yield* readAll
          yield* giveBackPages
          expect(pagesOf(file)).toMatchObject({ free: 0, mode: 2, sound: "ok" })
          expect(statSync(file).size).toBe(pagesOf(file).all * pageBytes)
          expect(yield* readAll).toEqual(records)
        }).pipe(Effect.provide(writing(file)))
      }))
  }
})
