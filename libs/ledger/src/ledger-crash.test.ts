import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { failpoints } from "./failpoint.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { OperationLedger } from "./operations.ts"
import { RetentionLedger } from "./retention.ts"
import { RunLedger } from "./runs.ts"
import { runChild } from "./testing/child-process.ts"
import { ledgerSteps } from "./testing/ledger-steps.ts"
import { sampleId } from "./testing/sample-facts.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

/** Everything of Run 1 that a reading can show. */
const readStored = Effect.gen(function*() {
  const { tombstones } = yield* RetentionLedger
  const { operation } = yield* OperationLedger
  return {
    record: yield* RunLedger.use((runs) => runs.readRun(sampleId.run(1))),
    operations: yield* Effect.forEach([1, 2], (number) => operation(sampleId.operation(number))),
    tombstones: yield* tombstones
  }
})
type Stored = Effect.Success<typeof readStored>

/** What is stored before the first step and after each. */
const committedPrefixes = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const prefixes: Array<Stored> = []
  yield* Effect.forEach([Effect.void, ...ledgerSteps.map(({ run }) => run)], (run) =>
    Effect.andThen(run, Effect.map(readStored, (stored) => prefixes.push(stored)))).pipe(
      Effect.provide(ledgerLayer({ file: join(folder, "core.sqlite"), access: "write" }))
    )
  return prefixes
})

describe("a process killed at a write", () => {
  it("meets every failpoint in the steps of this test", () => {
    const met = new Set(ledgerSteps.map(({ write }) => write))
    expect(new Set(failpoints.map((point) => point.split(":")[0]))).toEqual(met)
    expect(failpoints).toHaveLength(met.size * 3)
  })

  it.effect("can be told by what it left, whichever write it was", () =>
    Effect.gen(function*() {
      const prefixes = yield* committedPrefixes
      expect(new Set(prefixes.map((stored) => JSON.stringify(stored))).size).toBe(ledgerSteps.length + 1)
      expect(prefixes.at(-1)?.record).toBeUndefined()
    }))

  it.effect("is not killed at a point that nobody meets", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "core.sqlite")
      expect(yield* runChild({ do: "end-at", file, point: "none" })).toMatchObject({ exitCode: 0, stderr: "" })
    }))

  for (const write of new Set(ledgerSteps.map((step) => step.write))) {
    const step = ledgerSteps.findIndex((candidate) => candidate.write === write)
    it.effect(`${write}: leaves a whole database and a committed prefix that can be continued`, () =>
      Effect.gen(function*() {
        const prefixes = yield* committedPrefixes
        yield* Effect.forEach(failpoints.filter((point) => point.startsWith(`${write}:`)), (point) =>
          Effect.gen(function*() {
            const file = join(yield* temporaryFolder, "core.sqlite")
            const end = yield* runChild({ do: "end-at", file, point })
            expect(end, point).toMatchObject({ signal: "SIGKILL", said: undefined })
            const layer = Layer.fresh(ledgerLayer({ file, access: "write" }))
            const committed = point.endsWith(":after-commit") ? step + 1 : step
            expect(yield* Effect.provide(readStored, layer), point).toEqual(prefixes[committed])
            const connection = new Database(file)
            expect(connection.pragma("integrity_check", { simple: true })).toBe("ok")
            expect(connection.pragma("foreign_key_check")).toEqual([])
            connection.close()
            yield* Effect.provide(Effect.forEach(ledgerSteps.slice(committed), ({ run }) => run), layer)
            expect(yield* Effect.provide(readStored, layer), point).toEqual(prefixes.at(-1))
          }), { concurrency: 2 })
      }))
  }
})
