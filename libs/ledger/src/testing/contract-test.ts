/** How one claim of the contract runs: on a fresh store that its engine provides. */
import { it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { expect } from "vitest"
import type { Fence } from "../fence.ts"
import type { LedgerError, LedgerReason } from "../ledger-errors.ts"
import type { Ledger } from "../ledger-layer.ts"
import { RunLedger, type RunRecord } from "../runs.ts"
import { sampleAdmission, sampleId } from "./sample-facts.ts"

/** Makes an empty store; each build of the layer opens that store, until the scope closes. */
export type MakeLayer = Effect.Effect<Layer.Layer<Ledger, LedgerError>, never, Scope.Scope>

export type Claim = (title: string, body: Effect.Effect<void, LedgerError, Ledger>) => void

export const claimOn = (makeLayer: MakeLayer): Claim => (title, body) =>
  it.effect(title, () => Effect.flatMap(makeLayer, (layer) => Effect.provide(body, Layer.fresh(layer))))

/** The reason a write was refused with; fails the test if it was not. */
export const refusal = <A, R>(write: Effect.Effect<A, LedgerError, R>): Effect.Effect<LedgerReason["_tag"], never, R> =>
  Effect.match(write, {
    onFailure: (error) => error.reason._tag,
    onSuccess: () => expect.fail("The write was not refused")
  })

/** Admits the Run of `number` and gives its first fence. */
export const admitted = Effect.fnUntraced(function*(number: number) {
  const runs = yield* RunLedger
  const { runId, epoch } = yield* runs.admitRun(sampleAdmission(number))
  return { runId, epoch } satisfies Fence
})

/** The whole record of an admitted Run. */
export const recordOf = Effect.fnUntraced(function*(number: number) {
  const runs = yield* RunLedger
  const record: RunRecord | undefined = yield* runs.readRun(sampleId.run(number))
  return record ?? expect.fail(`Run ${number} is not stored`)
})

/** Types of the Run's events in stored order. */
export const eventTypes = (record: RunRecord): ReadonlyArray<string> => record.events.map((event) => event.type)
