import { it } from "@effect/vitest"
import { type EventType, OperationId, RunId, type RunState } from "@steno/contracts"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect } from "vitest"
import { CallLedger } from "./calls.ts"
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

/** What a golden home is known by: the ids in it. What its Runs are is the same for every schema. */
interface GoldenHome {
  readonly schema: number
  readonly folder: string
  readonly runIds: Readonly<Record<"succeeded" | "failed" | "halted" | "unfinished", RunId>>
  /** The Operation that started the halted Run. */
  readonly haltedBy: OperationId
}

const goldenHomes: ReadonlyArray<GoldenHome> = [
  {
    schema: 1,
    folder: "home-0001",
    runIds: {
      succeeded: RunId.make("run_01M8PFAYN8943W3KM8NZSGRJXS"),
      failed: RunId.make("run_01M8PFAZP5J7ZTEX8NC7XA8T9T"),
      halted: RunId.make("run_01M8PFB0VVNZW3VK5BTK0R0JWH"),
      unfinished: RunId.make("run_01M8PFB30B6N4KG0PVASYPFGAX")
    },
    haltedBy: OperationId.make("op_01M8PFB0VMGQNQ9REJQYVS5M88")
  },
  {
    schema: 2,
    folder: "home-0002",
    runIds: {
      succeeded: RunId.make("run_01M8PMNDGD6N93KPCCGDY1XGQT"),
      failed: RunId.make("run_01M8PMNE7ZNFAB518CW1SJEMKM"),
      halted: RunId.make("run_01M8PMNF06ZRKYWWQP62MKXC8F"),
      unfinished: RunId.make("run_01M8PMNGFHNG09VMMQFF91002M")
    },
    haltedBy: OperationId.make("op_01M8PMNEZP7QHQVJ1DX5AQYV0T")
  },
  {
    schema: 3,
    folder: "home-0003",
    runIds: {
      succeeded: RunId.make("run_01M8PVQ02SQZQDPM7WJGY351ZR"),
      failed: RunId.make("run_01M8PVQ288898405YSKQCYX99Y"),
      halted: RunId.make("run_01M8PVQ4C0NFR9SY0TFV9YFS4C"),
      unfinished: RunId.make("run_01M8PVQ8MR3DPFB871HMY7BMXD")
    },
    haltedBy: OperationId.make("op_01M8PVQ4BDKQTD5VJ3ZCNMMQSE")
  }
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

/** Newest first. */
const goldenRuns = ({ runIds }: GoldenHome): ReadonlyArray<GoldenRun> => [
  {
    runId: runIds.unfinished,
    state: "running",
    epoch: 1,
    result: undefined,
    response: undefined,
    output: undefined,
    assets: []
  },
  {
    runId: runIds.halted,
    state: "halted",
    epoch: 2,
    result: "lost",
    response: { outcome: "indeterminate", reason: { code: "owner-gone" } },
    output: "begun\n",
    assets: ["stdout"]
  },
  {
    runId: runIds.failed,
    state: "failed",
    epoch: 1,
    result: "failed",
    response: { outcome: "completed", exitCode: 3 },
    output: "no such test\n",
    assets: ["stderr"]
  },
  {
    runId: runIds.succeeded,
    state: "succeeded",
    epoch: 1,
    result: "completed",
    response: { outcome: "completed", exitCode: 0 },
    output: "one\ntwo\nnote\n",
    assets: ["stdout", "stderr", "output"]
  }
]

/** A copy without its README. */
const copyOf = (golden: GoldenHome) =>
  Effect.map(temporaryFolder, (folder) => {
    cpSync(join(goldens, golden.folder), folder, {
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

const expectGolden = (golden: GoldenHome, records: ReadonlyArray<RunRecord>, folder: string): void => {
  expect(records.map(goldenOf)).toMatchObject(goldenRuns(golden))
  for (const { run, events, assets, unfinished: open } of records) {
    const ended = run.runId !== golden.runIds.unfinished
    expect(events.map(({ type }) => type)).toEqual(ended ? settledEvents : settledEvents.slice(0, 2))
    expect(events).toMatchObject(events.map((_, index) => ({ sequence: index + 1, version: 1 })))
    expect(open.map((call) => call.arguments?.command)).toEqual(ended ? [] : ["echo waiting; sleep 600"])
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

describe("golden homes", () => {
  it("are those of every schema that was ever released, and of the present one", () => {
    expect(goldenHomes.map(({ schema }) => schema)).toEqual(known)
    expect(readdirSync(goldens).filter((name) => name.startsWith("home-")).toSorted()).toEqual(goldenHomes.map(({ folder }) => folder))
  })
})

describe.each(goldenHomes)("the home of schema $schema", (golden) => {
  it.effect("opens with every Run as it was, once and again, after a backup that still is of its schema where it is older", () =>
    Effect.gen(function*() {
      const { folder, file } = yield* copyOf(golden)
      const its = { versions: known.slice(0, golden.schema), sound: "ok" }
      expect(versionsOf(file)).toEqual(its)
      for (const _ of ["migrated", "again"]) {
        expectGolden(golden, yield* Effect.provide(readRuns, Layer.fresh(ledgerLayer({ file, access: "write" }))), folder)
      }
      expect(versionsOf(file)).toEqual({ versions: known, sound: "ok" })
      const backup = backupPath(file, golden.schema)
      expect(existsSync(backup)).toBe(golden.schema < known.length)
      if (golden.schema === known.length) return
      expect(versionsOf(backup)).toEqual(its)
      expectGolden(golden, yield* Effect.provide(readRuns, ledgerLayer({ file: backup, access: "write" })), folder)
    }))

  it.effect("is read without a byte changed; SQLite leaves its index and an empty journal beside it", () =>
    Effect.gen(function*() {
      const { folder, file } = yield* copyOf(golden)
      const before = folderBytes(folder)
      expectGolden(golden, yield* Effect.provide(readRuns, ledgerLayer({ file, access: "read" })), folder)
      const { "core.sqlite-shm": _, "core.sqlite-wal": journal, ...after } = folderBytes(folder)
      expect(journal).toBe("")
      expect(after).toEqual(before)
    }))

  it.effect("keeps every byte when a later migration fails", () =>
    Effect.gen(function*() {
      const { folder, file } = yield* copyOf(golden)
      const before = folderBytes(folder)
      const failing = { version: known.length + 1, name: "failing", sql: "INSERT INTO absent VALUES (1)" }
      const layer = ledgerLayerWith({ file, access: "write", migrations: [...migrations, failing] })
      expect((yield* Effect.flip(Effect.scoped(Layer.build(layer)))).reason._tag).toBe("StorageFailed")
      const { [basename(backupPath(file, golden.schema))]: backup, ...after } = folderBytes(folder)
      expect(backup).toBeDefined()
      expect(after).toEqual(before)
    }))

  it.effect("goes on where it stopped: its Operations are known, its unfinished Turn settles, its Runs can be removed", () =>
    Effect.gen(function*() {
      const { file } = yield* copyOf(golden)
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
        expect(yield* runs.admittedRun({ operationId: golden.haltedBy, input }))
          .toEqual({ repeated: true, runId: golden.runIds.halted, epoch: 2 })
        const runId = golden.runIds.unfinished
        const record = (yield* runs.readRun(runId)) ?? expect.fail("The unfinished Run is not read")
        const [turn, call] = [record.turns[0], record.unfinished[0]]
        if (turn === undefined || call === undefined) return expect.fail("The unfinished Run has no Turn or no call")
        const halted = (yield* runs.readRun(golden.runIds.halted)) ?? expect.fail("The halted Run is not read")
        const ended = halted.events.find((event) => event.type === "tool-call-response") ?? expect.fail("It has no response")
        expect(yield* CallLedger.use((calls) => calls.storedResponse(ended.payload.callId))).toEqual(ended)
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
        for (const old of Object.values(golden.runIds)) {
          const epoch = (yield* runs.runRow(old))?.epoch ?? 0
          yield* retention.buryRun(yield* runs.takeOver({ runId: old, epoch, owner: sampleOwner(1), at }), at)
          yield* retention.removeRun(old)
        }
        expect(yield* runs.listRuns({ limit: 10 })).toEqual([])
        yield* runs.admitRun(sampleAdmission(1))
      }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
      expect(versionsOf(file).sound).toBe("ok")
    }))
})
