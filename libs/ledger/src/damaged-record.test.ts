import { expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ledgerLayer } from "./ledger-layer.ts"
import { RunLedger } from "./runs.ts"
import { sampleAdmission, sampleId } from "./testing.ts"

/** Two Runs in a database; `damage` is done to it behind the ledger's back. */
const afterDamage = <A, E>(damage: string, test: Effect.Effect<A, E, RunLedger>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-damage-"))),
    (folder) =>
      Effect.gen(function*() {
        const file = join(folder, "core.sqlite")
        const layer = ledgerLayer({ file, access: "write" })
        yield* Effect.gen(function*() {
          const runs = yield* RunLedger
          yield* runs.admitRun(sampleAdmission(1))
          yield* runs.admitRun(sampleAdmission(2))
        }).pipe(Effect.provide(layer))
        const database = new Database(file)
        expect(database.prepare(damage).run(sampleId.run(1)).changes).toBe(1)
        database.close()
        return yield* Effect.provide(test, ledgerLayer({ file, access: "write" }))
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

it.live("an event that cannot be read any more fails the reading of its Run alone, as RecordDamaged", () =>
  afterDamage(
    `UPDATE event SET payload = '{broken' WHERE conversation_id = (SELECT conversation_id FROM session WHERE run_id = ?)`,
    Effect.gen(function*() {
      const runs = yield* RunLedger
      const error = yield* Effect.flip(runs.readRun(sampleId.run(1)))
      expect(error.reason._tag).toBe("RecordDamaged")
      expect((yield* runs.readRun(sampleId.run(2)))?.events).toHaveLength(1)
      expect(yield* runs.listRuns({ limit: 10 })).toHaveLength(2)
    })
  ))

it.live("a harness that cannot be read any more is unknown, and its Run stays in every list", () =>
  afterDamage(
    "UPDATE run SET harness = '{broken' WHERE run_id = ?",
    Effect.gen(function*() {
      const runs = yield* RunLedger
      const listed = yield* runs.listRuns({ limit: 10 })
      expect(listed.map((run) => run.harness.id)).toEqual(["command", "unknown"])
    })
  ))
