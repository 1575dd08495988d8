import { assert, describe, it } from "@effect/vitest"
import type { RunId } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { databaseFile } from "./database-file.ts"
import { homeMaintenanceLayer } from "./home-maintenance.ts"
import { Maintenance } from "./maintenance.ts"
import { portOn, runCommand, temporaryFolder } from "./testing.ts"

const gc = (path: string, olderThanMs?: number) =>
  Maintenance.use((maintenance) => maintenance.gc({ dryRun: false, ...(olderThanMs === undefined ? {} : { olderThanMs }) })).pipe(
    Effect.provide(homeMaintenanceLayer({ path, environment: { PATH: process.env["PATH"] } }))
  )

const remove = Effect.fnUntraced(function*(runId: RunId) {
  const port = yield* ProjectionPort
  const { operationId } = yield* port.submit({ input: { operation: "delete", runId } })
  assert.deepStrictEqual(yield* port.awaitOperation(operationId), { status: "applied" })
})

/** As much of the output as a record keeps with the call. */
const long = "head -c 30000 /dev/zero | tr '\\0' x"

const databaseOf = (home: string) => {
  const connection = new Database(databaseFile(home), { readonly: true })
  const pages = Number(connection.pragma("page_count", { simple: true }))
  const free = Number(connection.pragma("freelist_count", { simple: true }))
  const events = connection.prepare("SELECT count(*) FROM event").pluck().get()
  connection.close()
  return { pages, free, events, bytes: statSync(databaseFile(home)).size }
}

/** Descriptors of this process on the files of a home's database. */
const descriptors = (home: string): number =>
  readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(databaseFile(home))
    } catch {
      return false
    }
  }).length

describe("a home over time", () => {
  it.live("gives the space of removed Runs back, after a gc and after single deletions", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      const fill = Effect.forEach(Array.from({ length: 30 }), () => runCommand(long, workspace), { concurrency: 8 })
      yield* Effect.provide(fill, portOn(home))
      const full = databaseOf(home)
      yield* gc(home, 0)
      const emptied = databaseOf(home)
      assert.isBelow(emptied.bytes, full.bytes / 4)
      assert.isBelow(emptied.free / emptied.pages, 0.1)
      assert.deepStrictEqual(readdirSync(join(home, "data", "conversations")), [])
      yield* Effect.gen(function*() {
        const [kept, ...others] = yield* fill
        yield* Effect.forEach(others, ({ runId }) => remove(runId))
        const port = yield* ProjectionPort
        assert.deepStrictEqual((yield* port.listRuns({ resumable: false, limit: 100 })).rows.map(({ runId }) => runId), [kept?.runId])
      }).pipe(Effect.provide(portOn(home)))
      const left = databaseOf(home)
      assert.isBelow(left.bytes, full.bytes / 4)
      assert.isBelow(left.free / left.pages, 0.1)
    })))

  it.live("shows and reads every Run after five rounds of opening, reading and keeping its retention", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      const workspace = yield* temporaryFolder
      mkdirSync(join(home, "config"))
      writeFileSync(join(home, "config", "steno.json"), "{\"retentionDays\":1}")
      const runs = yield* Effect.forEach(["echo one", "echo two"], (command) => runCommand(command, workspace)).pipe(Effect.provide(portOn(home)))
      for (let round = 0; round < 5; round++) {
        yield* Effect.gen(function*() {
          const port = yield* ProjectionPort
          const { rows } = yield* port.listRuns({ resumable: false, limit: 10 })
          assert.deepStrictEqual(rows.map(({ runId }) => runId), runs.map(({ runId }) => runId).toReversed())
          for (const run of runs) {
            const reference = { text: run.runId, workspacePath: workspace }
            assert.deepStrictEqual(yield* port.showRun(reference), run)
            assert.lengthOf((yield* port.readTranscript({ run: reference })).entries, 1)
            assert.lengthOf((yield* port.readCall({ run: reference, call: "1", stream: "output" })).lines, 1)
          }
        }).pipe(Effect.provide(portOn(home)))
        assert.deepInclude(yield* gc(home), { removed: { runs: 0, bytes: 0 } })
      }
    })))

  it.live("has no descriptor left on its database after a thousand openings, and few while it is open", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      yield* runCommand("true", home).pipe(Effect.provide(portOn(home)))
      const open = ProjectionPort.use((port) =>
        Effect.as(port.listRuns({ resumable: false, limit: 1 }), descriptors(home))
      ).pipe(Effect.provide(portOn(home)))
      const counts: Array<number> = []
      for (let opening = 1; opening <= 1_000; opening++) {
        const whileOpen = yield* open
        if (opening === 10 || opening === 1_000) counts.push(whileOpen, descriptors(home))
      }
      const [whileOpen = 0] = counts
      assert.isAtMost(whileOpen, 6)
      assert.isAbove(whileOpen, 0)
      assert.deepStrictEqual(counts, [whileOpen, 0, whileOpen, 0])
      assert.isFalse(existsSync(`${databaseFile(home)}-wal`))
    })), 60_000)

  it.live("stores nothing for a chunk of output: a command that prints 10,000 of them has the four events of any other", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryFolder
      yield* runCommand("true", home).pipe(Effect.provide(portOn(home)))
      const before = databaseOf(home)
      yield* runCommand("for i in $(seq 10000); do echo $i; done", home).pipe(Effect.provide(portOn(home)))
      const after = databaseOf(home)
      assert.deepStrictEqual([before.events, after.events], [4, 8])
      assert.isBelow(after.bytes - before.bytes, 100_000)
    })))
})
