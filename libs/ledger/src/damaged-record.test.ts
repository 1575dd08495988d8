import { describe, expect, it } from "@effect/vitest"
import { unreadableTextUnits } from "@steno/contracts"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CallLedger } from "./calls.ts"
import type { LedgerError } from "./ledger-errors.ts"
import { type Ledger, ledgerLayer } from "./ledger-layer.ts"
import { RunLedger } from "./runs.ts"
import { TurnLedger } from "./turns.ts"
import { sampleAdmission, sampleAsset, sampleCall, sampleId, sampleInstant, sampleProposal, sampleResolution, sampleResponse } from "./testing.ts"

/** Two Runs, the first with a settled and a running call: events 1 to 4, and what `prepare` adds. `damage` is done behind the ledger's back. */
const afterDamage = <A, E>(
  damage: (database: Database.Database) => void,
  test: Effect.Effect<A, E, Ledger>,
  prepare: Effect.Effect<unknown, LedgerError, Ledger> = Effect.void
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-damage-"))),
    (folder) =>
      Effect.gen(function*() {
        const file = join(folder, "core.sqlite")
        const layer = ledgerLayer({ file, access: "write" })
        yield* Effect.gen(function*() {
          const runs = yield* RunLedger
          const calls = yield* CallLedger
          yield* runs.admitRun(sampleAdmission(1))
          yield* runs.admitRun(sampleAdmission(2))
          const fence = { runId: sampleId.run(1), epoch: 1 }
          yield* calls.createToolCalls(fence, [sampleCall(1, 1), sampleCall(1, 2)])
          yield* calls.recordProcess(fence, {
            callId: sampleId.call(2),
            claim: "claim",
            process: { bootId: "boot", pid: 7, startTime: "70" },
            at: sampleInstant(3)
          })
          yield* calls.settleToolCall(fence, {
            callId: sampleId.call(1),
            from: { state: "running", claim: "claim" },
            response: sampleResponse(1),
            assets: [sampleAsset(1, 1)],
            at: sampleInstant(4)
          })
          yield* prepare
        }).pipe(Effect.provide(layer))
        const database = new Database(file)
        damage(database)
        database.close()
        return yield* Effect.provide(test, ledgerLayer({ file, access: "write" }))
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const setEvent = (assignment: string, sequence: number) => (database: Database.Database) => {
  database.pragma("ignore_check_constraints = ON")
  database.pragma("foreign_keys = OFF")
  const { changes } = database.prepare(`UPDATE event SET ${assignment} WHERE conversation_id = ? AND sequence = ?`)
    .run(sampleId.conversation(1), sequence)
  expect(changes).toBe(1)
}

const eventsOfRun1 = RunLedger.use((runs) =>
  Effect.map(runs.readRun(sampleId.run(1)), (record) => record?.events ?? expect.fail("Run 1 is not read")))

const known = { conversationId: sampleId.conversation(1), turnId: sampleId.turn(1), type: "unreadable" }

describe("an event that cannot be read any more", () => {
  it.live.each<readonly [string, string, object]>([
    ["an object where a number was", `payload = replace(payload, '"exitCode":0', '"exitCode":{}')`, { reason: "shape-unknown", storedType: "tool-call-response" }],
    ["text that is no JSON", "payload = '{broken'", { reason: "not-json", text: "{broken", sizeBytes: 7 }],
    ["a type that nobody knows", "type = 'tool-call-vanished'", { reason: "type-unknown", storedType: "tool-call-vanished" }],
    ["a version that nobody knows", "version = 99", { reason: "version-unknown", storedVersion: 99 }],
    ["a place that is none", "first_seen = -4", { reason: "column-damaged" }]
  ])("for %s is one value at its sequence, with what is known of it", ([, assignment, reading]) =>
    afterDamage(
      setEvent(assignment, 4),
      Effect.gen(function*() {
        const events = yield* eventsOfRun1
        expect(events.map(({ sequence, type }) => [sequence, type])).toEqual([
          [1, "turn-admitted"],
          [2, "tool-call-started"],
          [3, "tool-call-started"],
          [4, "unreadable"]
        ])
        expect(events[3]).toMatchObject({ ...known, itemId: "item-1", createdAt: sampleInstant(4), ...reading })
        const runs = yield* RunLedger
        expect((yield* runs.readRun(sampleId.run(2)))?.events).toMatchObject([{ type: "turn-admitted" }])
      })
    ))

  it.live("says neither Turn nor time where those columns are what is damaged", () =>
    afterDamage(
      setEvent("turn_id = 'turn_!', created_at = 'then'", 2),
      Effect.map(eventsOfRun1, (events) => {
        expect(events[1]).toMatchObject({ reason: "column-damaged", sequence: 2, storedType: "tool-call-started" })
        expect(events[1]).not.toHaveProperty("turnId")
        expect(events[1]).not.toHaveProperty("createdAt")
      })
    ))

  it.live("shows the beginning of a long text and the size of all of it", () =>
    afterDamage(
      setEvent(`payload = '${"é".repeat(5_000)}'`, 2),
      Effect.map(eventsOfRun1, (events) =>
        expect(events[1]).toMatchObject({ text: "é".repeat(unreadableTextUnits), sizeBytes: 10_000 }))
    ))

  it.live("keeps no other call's stored response from being found", () =>
    afterDamage(
      setEvent("payload = '{broken', type = 'tool-call-response'", 3),
      Effect.gen(function*() {
        const calls = yield* CallLedger
        const found = yield* calls.storedResponse(sampleId.call(1))
        expect(found?.payload).toMatchObject({ callId: sampleId.call(1), exitCode: 0 })
      })
    ))

  it.live("is told as lost where its row is gone, several in a row as one", () =>
    afterDamage(
      (database) => {
        database.prepare("DELETE FROM event WHERE conversation_id = ? AND sequence < 3").run(sampleId.conversation(1))
      },
      Effect.map(eventsOfRun1, ([lost, ...others]) => {
        expect(lost).toEqual({ type: "unreadable", reason: "lost", conversationId: sampleId.conversation(1), sequence: 1, lastSequence: 2 })
        expect(others.map(({ sequence, type }) => [sequence, type])).toEqual([[3, "tool-call-started"], [4, "tool-call-response"]])
      })
    ))
})

describe("beside the log", () => {
  it.live("a harness that cannot be read any more is unknown, and its Run stays in every list", () =>
    afterDamage(
      (database) => void database.prepare("UPDATE run SET harness = '{broken' WHERE run_id = ?").run(sampleId.run(1)),
      Effect.gen(function*() {
        const runs = yield* RunLedger
        const listed = yield* runs.listRuns({ limit: 10 })
        expect(listed.map((run) => run.harness.id)).toEqual(["command", "unknown"])
      })
    ))

  it.live("damaged facts of calls and files are absent, and their Run is read", () =>
    afterDamage(
      (database) => database.exec(`UPDATE tool_call SET supervision = '{', process = '{"pid":{}}'; UPDATE asset SET capture = '[]'`),
      Effect.gen(function*() {
        const record = yield* RunLedger.use((runs) => runs.readRun(sampleId.run(1)))
        expect(record?.unfinished).toMatchObject([{ callId: sampleId.call(2), state: "running", claim: "claim" }])
        expect(record?.unfinished[0]).not.toHaveProperty("process")
        expect(record?.unfinished[0]).not.toHaveProperty("supervision")
        expect(record?.assets).toMatchObject([{ assetId: sampleId.asset(1), sizeBytes: 5 }])
        expect(record?.assets[0]).not.toHaveProperty("capture")
      })
    ))

  it.live("a Run whose own row is lost is damaged, not unknown, and touches no other", () =>
    afterDamage(
      (database) => {
        database.pragma("foreign_keys = OFF")
        database.prepare("DELETE FROM run WHERE run_id = ?").run(sampleId.run(1))
      },
      Effect.gen(function*() {
        const runs = yield* RunLedger
        expect((yield* Effect.flip(runs.readRun(sampleId.run(1)))).reason._tag).toBe("RecordDamaged")
        expect((yield* Effect.flip(runs.runRow(sampleId.run(1)))).reason._tag).toBe("RecordDamaged")
        expect((yield* runs.listRuns({ limit: 10 })).map(({ runId }) => runId)).toEqual([sampleId.run(2)])
        expect(yield* runs.readRun(sampleId.run(3))).toBeUndefined()
      })
    ))
})

describe("a call of a model", () => {
  const fence = { runId: sampleId.run(2), epoch: 1 }
  const proposed = CallLedger.use((calls) => calls.proposeToolCalls(fence, sampleProposal(2, [3])))

  it.live("whose message cannot be read any more keeps its row, has no arguments, and is not proposed a second time", () =>
    afterDamage(
      (database) => database.prepare("UPDATE event SET payload = '{broken' WHERE type = 'assistant-message'").run(),
      Effect.gen(function*() {
        const calls = yield* CallLedger
        const turns = yield* TurnLedger
        const [call] = yield* calls.unfinishedCalls(fence.runId)
        expect(call).toMatchObject({ callId: sampleId.call(3), modelStep: 2, contentIndex: 1 })
        expect(call).not.toHaveProperty("arguments")
        const { reason } = yield* Effect.flip(calls.proposeToolCalls(fence, sampleProposal(2, [3])))
        expect(reason._tag).toBe("Conflict")
        const { events } = yield* turns.sessionContext({ conversationId: sampleId.conversation(2) })
        expect(events.map(({ type }) => type)).toEqual(["turn-admitted", "unreadable"])
      }),
      proposed
    ))

  it.live("whose interactions cannot be read any more waits for nobody, and can be asked anew", () =>
    afterDamage(
      (database) =>
        database.prepare("UPDATE tool_call SET state = 'awaiting_approval', interactions = '{broken' WHERE origin = 'model'").run(),
      Effect.gen(function*() {
        const calls = yield* CallLedger
        const callId = sampleId.call(3)
        const waiting = { state: "awaiting_approval", claim: undefined } as const
        expect(yield* calls.unfinishedCall(callId)).not.toHaveProperty("interactions")
        expect(yield* calls.recordResolution(fence, { callId, resolution: sampleResolution(3) })).toEqual({ decision: "not-suspended" })
        const interaction = { kind: "approval", reason: "", segments: [], suggestedRules: [] } as const
        yield* calls.advanceToolCall(fence, { callId, from: waiting, to: waiting, interaction, at: sampleInstant(9) })
        expect((yield* calls.unfinishedCall(callId))?.interactions).toEqual([{ request: interaction, raisedAt: sampleInstant(9) }])
      }),
      proposed
    ))
})
