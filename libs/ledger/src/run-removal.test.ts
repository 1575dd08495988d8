import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { CallLedger } from "./calls.ts"
import { Failpoint } from "./failpoint.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { RetentionLedger } from "./retention.ts"
import { RunLedger } from "./runs.ts"
import { sampleAdmission, sampleAsset, sampleCall, sampleId, sampleInstant, sampleResponse, sampleSettlement } from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { TurnLedger } from "./turns.ts"

const runId = sampleId.run(1)
const tombstone = { runId, conversationIds: [sampleId.conversation(1)] }

/** A database with Run 2 at rest and Run 1 buried, which has `calls` calls with `text` as output, one asset each. */
const homeWithBuried = Effect.fnUntraced(function*(calls: number, text = "") {
  const file = join(yield* temporaryFolder, "core.sqlite")
  yield* Effect.gen(function*() {
    const runs = yield* RunLedger
    const turns = yield* TurnLedger
    const numbers = Array.from({ length: calls }, (_, index) => index + 1)
    for (const number of [1, 2]) {
      const { epoch } = yield* runs.admitRun(sampleAdmission(number))
      const fence = { runId: sampleId.run(number), epoch }
      const own = number === 1 ? numbers : [calls + 1]
      yield* CallLedger.use((ledger) => ledger.createToolCalls(fence, own.map((call) => sampleCall(number, call))))
      const responses = own.map((call) => ({
        response: sampleResponse(call, { retainedOutput: { text } }),
        assets: [sampleAsset(call, call)]
      }))
      yield* turns.settleTurn(fence, sampleSettlement(number, "completed", { responses }))
    }
    yield* RetentionLedger.use((retention) => retention.buryRun({ runId, epoch: 1 }, sampleInstant(90)))
  }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
  return file
})

const tables = ["event", "asset", "tool_call", "turn", "session", "operation", "run"] as const

const rowsOf = (file: string) => {
  const connection = new Database(file, { readonly: true })
  const counts = tables.map((table) => connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0)
  const payload = connection.prepare<[], number>("SELECT sum(octet_length(payload)) FROM event").pluck().get() ?? 0
  const orphans = connection.pragma("foreign_key_check")
  connection.close()
  return { all: counts.reduce((total, count) => total + count, 0), counts, payload, orphans }
}

/** Rows of Run 2 in the order of `tables`, and the Operation of Run 1, which stays. */
const untouched = [4, 1, 0, 1, 1, 2, 1]

const remove = RetentionLedger.use((retention) => retention.removeRun(runId))

const removing = (file: string, failpoint: (point: string) => unknown) =>
  Effect.provide(
    remove,
    Layer.provide(ledgerLayer({ file, access: "write" }), Layer.succeed(Failpoint, failpoint))
  )

describe("the removal of a buried Run", () => {
  it.effect("is one transaction for a small one", () =>
    Effect.gen(function*() {
      const file = yield* homeWithBuried(20)
      const commits: Array<string> = []
      yield* removing(file, (point) => point.endsWith("after-commit") && commits.push(point))
      expect(commits).toEqual(["removeRun:after-commit"])
      expect(rowsOf(file)).toMatchObject({ counts: untouched, orphans: [] })
    }))

  for (const [what, calls, text] of [["rows", 600, ""], ["bytes", 60, "x".repeat(100_000)]] as const) {
    it.effect(`is bounded in ${what} per transaction, of which each leaves a whole database`, () =>
      Effect.gen(function*() {
        const file = yield* homeWithBuried(calls, text)
        const left = [rowsOf(file)]
        yield* removing(file, (point) => point === "removeRun:after-commit" && left.push(rowsOf(file)))
        expect(left.flatMap(({ orphans }) => orphans)).toEqual([])
        const removed = left.slice(1).map(({ all, payload }, index) => ({
          rows: (left[index]?.all ?? 0) - all,
          payload: (left[index]?.payload ?? 0) - payload
        }))
        expect(removed.length).toBeGreaterThan(4)
        for (const slice of removed) {
          expect(slice.rows).toBeGreaterThan(0)
          expect(slice.rows).toBeLessThanOrEqual(250 + 2)
          expect(slice.payload).toBeLessThan(1_200_000)
        }
        expect(left.at(-1)?.counts).toEqual(untouched)
      }))
  }

  for (const slice of [1, 3, 6]) {
    it.effect(`that ends in its transaction ${slice} leaves the tombstone with all Sessions, and is finished after reopening`, () =>
      Effect.gen(function*() {
        const file = yield* homeWithBuried(600)
        let met = 0
        const { reason } = yield* Effect.flip(removing(file, (point) => {
          if (point === "removeRun:before-commit" && ++met === slice) throw new Database.SqliteError("injected", "SQLITE_IOERR")
        }))
        expect(reason).toMatchObject({ _tag: "StorageFailed", operation: "removeRun" })
        expect(rowsOf(file).all).toBeGreaterThan(untouched.reduce((total, count) => total + count, 0))
        yield* Effect.gen(function*() {
          const retention = yield* RetentionLedger
          expect(yield* retention.tombstones).toEqual([tombstone])
          expect(yield* RunLedger.use((runs) => runs.readRun(runId))).toBeUndefined()
          yield* remove
          expect(yield* retention.tombstones).toEqual([])
        }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
        expect(rowsOf(file)).toMatchObject({ counts: untouched, orphans: [] })
      }))
  }

  it.effect("lets other fibers work between two transactions", () =>
    Effect.gen(function*() {
      const file = yield* homeWithBuried(600)
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        const seen: Array<number> = []
        const fiber = yield* Effect.forkChild(remove)
        while (fiber.pollUnsafe() === undefined) {
          seen.push(rowsOf(file).all)
          yield* runs.runRow(sampleId.run(2))
          yield* Effect.yieldNow
        }
        expect(new Set(seen).size).toBeGreaterThan(3)
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
    }))
})
