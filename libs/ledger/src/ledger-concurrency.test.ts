import { it } from "@effect/vitest"
import { ledgerLimits } from "@steno/contracts"
import Database from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { CallLedger } from "./calls.ts"
import { Failpoint } from "./failpoint.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { RunLedger } from "./runs.ts"
import { lockHolder, runChild } from "./testing/child-process.ts"
import { writeUnderCheckpoints } from "./testing/checkpoint-load.ts"
import { startRunsAtOnce } from "./testing/contention.ts"
import { sampleAdmission, sampleCall, sampleId } from "./testing/sample-facts.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const newFile = Effect.map(temporaryFolder, (folder) => join(folder, "core.sqlite"))

describe("several processes on one home", () => {
  it.effect("open a new home at once, and every write of each is stored in one sequence without gap", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const ends = yield* Effect.forEach([0, 1, 2, 3], (child) =>
        runChild({ do: "settle-calls", file, first: child * 100 + 1, count: 25 }), { concurrency: "unbounded" })
      expect(ends.map(({ stderr }) => stderr)).toEqual(["", "", "", ""])
      expect(ends.map(({ said }) => said)).toEqual(expect.arrayContaining([{ repeated: false }]))
      expect(ends.filter(({ said }) => JSON.stringify(said) === "{\"repeated\":true}")).toHaveLength(3)
      const record = yield* Effect.provide(
        RunLedger.use((runs) => runs.readRun(sampleId.run(1))),
        ledgerLayer({ file, access: "read" })
      )
      const events = record?.events ?? []
      expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 201 }, (_, index) => index + 1))
      const responded = events.flatMap((event) => event.type === "tool-call-response" ? [event.payload.callId] : [])
      const expected = [0, 1, 2, 3].flatMap((child) =>
        Array.from({ length: 25 }, (_, index) => sampleId.call(child * 100 + 1 + index))
      )
      expect(responded.toSorted()).toEqual(expected.toSorted())
      expect(record?.unfinished).toEqual([])
    }))

  it.effect("that settle the same 50 calls at once leave one response and one set of assets per call; whoever is late writes nothing", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const layer = Layer.fresh(ledgerLayer({ file, access: "write" }))
      const count = 50
      const create = Effect.gen(function*() {
        const { epoch, runId } = yield* RunLedger.use((runs) => runs.admitRun(sampleAdmission(1)))
        const calls = Array.from({ length: count }, (_, index) => sampleCall(1, index + 1))
        yield* CallLedger.use((ledger) => ledger.createToolCalls({ epoch, runId }, calls))
        return epoch
      })
      const epoch = yield* Effect.provide(create, layer)
      const holder = yield* lockHolder(file)
      const racers = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(runChild({ do: "race-settlements", file, epoch, count }), { startImmediately: true }))
      yield* holder.release
      const ends = yield* Effect.forEach(racers, Fiber.join)
      expect(ends.map(({ stderr }) => stderr)).toEqual(["", ""])
      const said = ends.map((end) => end.said as { readonly won: number; readonly late: number })
      expect(said.map(({ late, won }) => won + late)).toEqual([count, count])
      expect(said.reduce((total, { won }) => total + won, 0)).toBe(count)
      const record = yield* Effect.provide(RunLedger.use((runs) => runs.readRun(sampleId.run(1))), layer)
      const responded = record?.events.flatMap((event) => event.type === "tool-call-response" ? [event.payload.callId] : [])
      expect(responded?.toSorted()).toEqual(Array.from({ length: count }, (_, index) => sampleId.call(index + 1)))
      expect(record?.assets).toHaveLength(count)
      expect(record?.unfinished).toEqual([])
    }))

  it.effect("eight that start Runs in a new home at once have all of them recorded, none refused as busy, no sequence with a gap", () =>
    Effect.gen(function*() {
      const end = yield* startRunsAtOnce({ file: yield* newFile, processes: 8, runsEach: 10 })
      expect(end.violations).toEqual([])
      expect(end.whole).toBe(80)
      expect(end.journalBytes).toBeLessThan(8 * 1024 * 1024)
    }))

  it.live("two that write while a third connection checkpoints all the time leave whole Runs in a sound database", () =>
    Effect.gen(function*() {
      const end = yield* writeUnderCheckpoints({ file: yield* newFile, processes: 2, runsEach: 60 })
      expect(end.violations).toEqual([])
      expect(end.whole).toBe(120)
      expect(end.checkpoints).toBeGreaterThan(10)
    }))

  it.live("a write waits for another process's lock while other fibers go on, and succeeds once it is released", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        const holder = yield* lockHolder(file)
        const write = yield* Effect.forkChild(runs.admitRun(sampleAdmission(1)), { startImmediately: true })
        let steps = 0
        yield* Effect.repeat(Effect.andThen(Effect.sleep(1), Effect.sync(() => steps++)), { times: 30 })
        expect(steps).toBe(31)
        expect(write.pollUnsafe()).toBeUndefined()
        expect(yield* runs.listRuns({ limit: 1 })).toEqual([])
        yield* holder.release
        expect(yield* Fiber.join(write)).toMatchObject({ repeated: false })
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
    }))

  it.effect("a write holds the lock from its first statement on", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const met: Array<string> = []
      const failpoint = Layer.succeed(Failpoint, (point: string) => {
        const other = new Database(file, { timeout: 0 })
        const lock = () => other.exec("BEGIN IMMEDIATE; COMMIT")
        if (point === "admitRun:after-commit") expect(lock).not.toThrow()
        else expect(lock).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }))
        other.close()
        met.push(point)
      })
      yield* RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))).pipe(
        Effect.provide(Layer.provide(ledgerLayer({ file, access: "write" }), failpoint))
      )
      expect(met).toEqual(["admitRun:begin", "admitRun:before-commit", "admitRun:after-commit"])
    }))

  it.effect("a lock held longer than the limit refuses the write as busy, with nothing written", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        const other = new Database(file)
        other.exec("BEGIN IMMEDIATE")
        const write = yield* Effect.forkChild(Effect.flip(runs.admitRun(sampleAdmission(1))))
        yield* TestClock.adjust(ledgerLimits.busyMs - 100)
        expect(write.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(200)
        const { reason } = yield* Fiber.join(write)
        expect(reason).toMatchObject({ _tag: "StorageBusy", operation: "admitRun" })
        other.close()
        expect(yield* runs.listRuns({ limit: 1 })).toEqual([])
        yield* runs.admitRun(sampleAdmission(1))
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
    }))
})
