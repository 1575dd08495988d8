import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { CallLedger } from "./calls.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { RetentionLedger } from "./retention.ts"
import { RunLedger } from "./runs.ts"
import { sampleAdmission, sampleCall, sampleId, sampleInstant, sampleResponse, sampleSettlement } from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { TurnLedger } from "./turns.ts"

const mebibyte = 1024 * 1024
const newFile = Effect.map(temporaryFolder, (folder) => join(folder, "core.sqlite"))
const writing = (file: string) => ledgerLayer({ file, access: "write" })
const sizeOf = (path: string): number => statSync(path).size
const held = { state: "running", claim: "claim" } as const
const at = sampleInstant(90)

/** Settles the call of a Run with `text` as its output. */
const settle = (number: number, call: number, text: string) =>
  CallLedger.use((calls) =>
    calls.settleToolCall({ runId: sampleId.run(number), epoch: 1 }, {
      callId: sampleId.call(call),
      from: held,
      response: sampleResponse(call, { retainedOutput: { text } }),
      assets: [],
      at
    })
  )

describe("the files of a home", () => {
  it.live("a journal stays within a few MiB over thousands of commits, also while others read", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        const calls = yield* CallLedger
        const { runId, epoch } = yield* RunLedger.use((runs) => runs.admitRun(sampleAdmission(1)))
        const reader = new Database(file, { readonly: true })
        const sizes: Array<number> = []
        for (let call = 1; call <= 1_000; call++) {
          yield* calls.createToolCalls({ runId, epoch }, [sampleCall(1, call)])
          yield* settle(1, call, "x".repeat(2_000))
          if (call % 10 === 0) {
            reader.prepare("SELECT count(*) FROM event").get()
            sizes.push(sizeOf(`${file}-wal`))
          }
        }
        reader.close()
        expect(Math.max(...sizes)).toBeLessThan(6 * mebibyte)
        expect(sizes.at(-1)).toBeLessThan(6 * mebibyte)
        expect(sizeOf(file)).toBeGreaterThan(mebibyte)
      }).pipe(Effect.provide(writing(file)))
    }))

  it.effect("a journal that one large write made long is short again after a few small ones", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        yield* runs.admitRun(sampleAdmission(1, "x".repeat(16 * mebibyte)))
        expect(sizeOf(`${file}-wal`)).toBeGreaterThan(16 * mebibyte)
        for (const number of [2, 3, 4]) yield* runs.admitRun(sampleAdmission(number))
        expect(sizeOf(`${file}-wal`)).toBeLessThanOrEqual(4 * mebibyte)
      }).pipe(Effect.provide(writing(file)))
    }))

  it.effect("a journal that a foreign transaction kept from being used anew is short again soon after that has ended", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        yield* runs.admitRun(sampleAdmission(1))
        const foreign = new Database(file, { readonly: true })
        foreign.exec("BEGIN")
        foreign.prepare("SELECT count(*) FROM run").get()
        for (let number = 2; number <= 40; number++) yield* runs.admitRun(sampleAdmission(number, "x".repeat(mebibyte / 2)))
        expect(sizeOf(`${file}-wal`)).toBeGreaterThan(16 * mebibyte)
        foreign.close()
        for (const number of [41, 42, 43]) yield* runs.admitRun(sampleAdmission(number))
        expect(sizeOf(`${file}-wal`)).toBeLessThanOrEqual(4 * mebibyte)
      }).pipe(Effect.provide(writing(file)))
    }))

  it.effect("no reading of ours keeps a transaction open behind its answer, so none holds a journal up", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))).pipe(Effect.provide(writing(file)))
      const read = Effect.gen(function*() {
        const runs = yield* RunLedger
        const retention = yield* RetentionLedger
        yield* runs.listRuns({ limit: 10 })
        yield* runs.readRun(sampleId.run(1))
        yield* runs.runIdsByPrefix(sampleId.run(1).slice(0, 12), 2)
        yield* retention.fileOwners
        yield* retention.runsRestingSince(at)
        const other = new Database(file)
        other.exec("UPDATE run SET settled_at = settled_at")
        const [checkpoint] = other.pragma("wal_checkpoint(TRUNCATE)") as ReadonlyArray<unknown>
        other.close()
        expect(checkpoint).toEqual({ busy: 0, log: 0, checkpointed: 0 })
      })
      for (const access of ["write", "read"] as const) yield* Effect.provide(read, ledgerLayer({ file, access }))
    }))

  it.effect("a database does not grow when Runs are removed as fast as they come", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const round = (first: number) =>
        Effect.forEach(Array.from({ length: 20 }, (_, index) => first + index), (number) =>
          Effect.gen(function*() {
            const turns = yield* TurnLedger
            const retention = yield* RetentionLedger
            const { runId, epoch } = yield* RunLedger.use((runs) => runs.admitRun(sampleAdmission(number)))
            const fence = { runId, epoch }
            yield* CallLedger.use((calls) => calls.createToolCalls(fence, [sampleCall(number, number)]))
            yield* settle(number, number, "x".repeat(20_000))
            yield* turns.settleTurn(fence, sampleSettlement(number))
            yield* retention.buryRun(fence, at)
            yield* retention.removeRun(runId)
          })).pipe(Effect.provide(writing(file)), Effect.map(() => sizeOf(file)))
      const first = yield* round(1)
      for (const start of [101, 201, 301]) expect(yield* round(start)).toBeLessThanOrEqual(first + 64 * 1024)
      const connection = new Database(file, { readonly: true })
      const counts = ["run", "session", "turn", "event", "tool_call", "asset", "operation"].map((table) =>
        connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
      )
      connection.close()
      expect(counts).toEqual([0, 0, 0, 0, 0, 0, 80])
    }))
})
