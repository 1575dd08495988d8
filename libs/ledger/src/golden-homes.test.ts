import { it } from "@effect/vitest"
import { type EventType, OperationId, RunId, type RunState } from "@steno/contracts"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { cpSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { ledgerLayer, ledgerLayerWith } from "./ledger-layer.ts"
import { backupPath } from "./migrations/migrate.ts"
import { migrations } from "./migrations/migrations.ts"
import { RetentionLedger } from "./retention.ts"
import { RunLedger, type RunRecord } from "./runs.ts"
import { folderBytes } from "./testing/home-files.ts"
import { sampleAdmission, sampleInstant, sampleOwner, sampleResponse } from "./testing/sample-facts.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { TurnLedger } from "./turns.ts"

const goldens = fileURLToPath(new URL("../goldens", import.meta.url))

const settledEvents: ReadonlyArray<EventType> = [
  "turn-admitted",
  "tool-call-started",
  "tool-call-response",
  "turn-settled"
]

interface GoldenRun {
  readonly runId: RunId
  readonly state: RunState
  readonly epoch: number
  readonly result: string | undefined
  readonly response: object | undefined
  readonly output: string | undefined
  readonly assets: ReadonlyArray<string>
}

const succeeded: GoldenRun = {
  runId: RunId.make("run_01M8PFAYN8943W3KM8NZSGRJXS"),
  state: "succeeded",
  epoch: 1,
  result: "completed",
  response: { outcome: "completed", exitCode: 0 },
  output: "one\ntwo\nnote\n",
  assets: ["stdout", "stderr", "output"]
}
const failed: GoldenRun = {
  runId: RunId.make("run_01M8PFAZP5J7ZTEX8NC7XA8T9T"),
  state: "failed",
  epoch: 1,
  result: "failed",
  response: { outcome: "completed", exitCode: 3 },
  output: "no such test\n",
  assets: ["stderr"]
}
const halted: GoldenRun = {
  runId: RunId.make("run_01M8PFB0VVNZW3VK5BTK0R0JWH"),
  state: "halted",
  epoch: 2,
  result: "lost",
  response: { outcome: "indeterminate", reason: { code: "owner-gone" } },
  output: "begun\n",
  assets: ["stdout"]
}
const unfinished: GoldenRun = {
  runId: RunId.make("run_01M8PFB30B6N4KG0PVASYPFGAX"),
  state: "running",
  epoch: 1,
  result: undefined,
  response: undefined,
  output: undefined,
  assets: []
}
const goldenRuns = [unfinished, halted, failed, succeeded]

/** A copy of the home of `schema`, without its README. */
const copyOf = (schema: string) =>
  Effect.map(temporaryFolder, (folder) => {
    cpSync(join(goldens, `home-${schema}`), folder, {
      recursive: true,
      filter: (source) => !source.endsWith("README.md")
    })
    return { folder, file: join(folder, "core.sqlite") }
  })

const digestOf = (path: string): string => `sha256:${createHash("sha256").update(readFileSync(path)).digest("hex")}`

/** What the golden says of a Run, read from its record. */
const goldenOf = (record: RunRecord): GoldenRun => {
  const response = record.events.find((event) => event.type === "tool-call-response")?.payload
  return {
    runId: record.run.runId,
    state: record.run.state,
    epoch: record.run.epoch,
    result: record.turns[0]?.result,
    response,
    output: response?.retainedOutput?.text,
    assets: record.assets.map(({ stream }) => stream ?? "none")
  }
}

const readRuns = Effect.gen(function*() {
  const runs = yield* RunLedger
  const rows = yield* runs.listRuns({ limit: 10 })
  return yield* Effect.forEach(rows, ({ runId }) =>
    Effect.map(runs.readRun(runId), (record) => record ?? expect.fail(`${runId} is not read`)))
})

const expectGolden = (records: ReadonlyArray<RunRecord>, folder: string): void => {
  expect(records.map(goldenOf)).toMatchObject(goldenRuns)
  for (const { run, events, assets, unfinished: open } of records) {
    const ended = run.runId !== unfinished.runId
    expect(events.map(({ type }) => type)).toEqual(ended ? settledEvents : settledEvents.slice(0, 2))
    expect(events.map(({ sequence, version }) => [sequence, version])).toEqual(events.map((_, index) => [index + 1, 1]))
    expect(open).toHaveLength(ended ? 0 : 1)
    expect(run.owner === undefined).toBe(ended)
    for (const { path, digest } of assets) expect(digestOf(join(folder, path))).toBe(digest)
  }
}

const versionsOf = (path: string) => {
  const connection = new Database(path, { readonly: true })
  const versions = connection.prepare("SELECT version FROM schema_migration ORDER BY version").pluck().all()
  const sound = connection.pragma("integrity_check", { simple: true })
  connection.close()
  return { versions, sound }
}

const known = migrations.map(({ version }) => version)

describe("the home of schema 1", () => {
  it.effect("opens with every Run as it was, once and again, after a backup that still is of schema 1", () =>
    Effect.gen(function*() {
      const { folder, file } = yield* copyOf("0001")
      expect(versionsOf(file)).toEqual({ versions: [1], sound: "ok" })
      for (const _ of ["migrated", "again"]) {
        expectGolden(yield* Effect.provide(readRuns, Layer.fresh(ledgerLayer({ file, access: "write" }))), folder)
      }
      expect(versionsOf(file)).toEqual({ versions: known, sound: "ok" })
      const backup = backupPath(file, 1)
      expect(versionsOf(backup)).toEqual({ versions: [1], sound: "ok" })
      expectGolden(yield* Effect.provide(readRuns, ledgerLayer({ file: backup, access: "write" })), folder)
    }))

  it.effect("is read without a byte changed; SQLite leaves its index and an empty journal beside it", () =>
    Effect.gen(function*() {
      const { folder, file } = yield* copyOf("0001")
      const before = folderBytes(folder)
      expectGolden(yield* Effect.provide(readRuns, ledgerLayer({ file, access: "read" })), folder)
      const { "core.sqlite-shm": _, "core.sqlite-wal": journal, ...after } = folderBytes(folder)
      expect(journal).toBe("")
      expect(after).toEqual(before)
    }))

  it.effect("keeps every byte when a later migration fails", () =>
    Effect.gen(function*() {
      const { folder, file } = yield* copyOf("0001")
      const before = folderBytes(folder)
      const failing = { version: known.length + 1, name: "failing", sql: "INSERT INTO absent VALUES (1)" }
      const layer = ledgerLayerWith({ file, access: "write", migrations: [...migrations, failing] })
      expect((yield* Effect.flip(Effect.scoped(Layer.build(layer)))).reason._tag).toBe("StorageFailed")
      const { [basename(backupPath(file, 1))]: backup, ...after } = folderBytes(folder)
      expect(backup).toBeDefined()
      expect(after).toEqual(before)
    }))

  it.effect("goes on where it stopped: its Operations are known, its unfinished Turn settles, its Runs can be removed", () =>
    Effect.gen(function*() {
      const { file } = yield* copyOf("0001")
      yield* Effect.gen(function*() {
        const runs = yield* RunLedger
        const retention = yield* RetentionLedger
        const input = {
          operation: "start",
          workspace: "/tmp/steno-golden-workspace",
          harness: "command",
          session: "main",
          input: "echo begun; sleep 600",
          kind: "once"
        } as const
        const operationId = OperationId.make("op_01M8PFB0VMGQNQ9REJQYVS5M88")
        expect(yield* runs.admittedRun({ operationId, input })).toEqual({ repeated: true, runId: halted.runId, epoch: 2 })
        const { runId } = unfinished
        const record = (yield* runs.readRun(runId)) ?? expect.fail("The unfinished Run is not read")
        const [turn, call] = [record.turns[0], record.unfinished[0]]
        if (turn === undefined || call === undefined) return expect.fail("The unfinished Run has no Turn or no call")
        const at = sampleInstant(1)
        const fence = yield* runs.takeOver({ runId, epoch: 1, owner: sampleOwner(1), at })
        const response = { ...sampleResponse(1, { outcome: "indeterminate" }), callId: call.callId }
        yield* TurnLedger.use((turns) =>
          turns.settleTurn(fence, {
            ...turn,
            settled: { result: "lost", availability: "open" },
            responses: [{ response, assets: [] }],
            rest: "halted",
            at
          }))
        expect((yield* runs.readRun(runId))?.events.map(({ type }) => type)).toEqual(settledEvents)
        for (const golden of goldenRuns) {
          const epoch = (yield* runs.runRow(golden.runId))?.epoch ?? 0
          yield* retention.buryRun(yield* runs.takeOver({ runId: golden.runId, epoch, owner: sampleOwner(1), at }), at)
          yield* retention.removeRun(golden.runId)
        }
        expect(yield* runs.listRuns({ limit: 10 })).toEqual([])
        yield* runs.admitRun(sampleAdmission(1))
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
      expect(versionsOf(file).sound).toBe("ok")
    }))
})
