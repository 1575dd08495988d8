/** A database as real use leaves it: Runs in every state, removed ones, long texts, free pages. */
import type { Asset } from "@steno/contracts"
import { Effect } from "effect"
import { CallLedger } from "../calls.ts"
import { ledgerLayer } from "../ledger-layer.ts"
import { OperationLedger } from "../operations.ts"
import { RetentionLedger } from "../retention.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import {
  sampleAdmission,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOperation,
  sampleOwner,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

const facts = { observedBytes: 5, storedBytes: 5, droppedBytes: 0, observedLines: 1, storedLines: 1 }

/** Files that the response of call `number` names. */
export const sampleFiles = (number: number): ReadonlyArray<Asset> => [sampleAsset(number, number)]

/** Runs 1 to `runs`; every seventh is removed again, every fifth still runs, some commands and outputs are pages long. */
export const fillHome = Effect.fnUntraced(function*(file: string, runs: number) {
  yield* Effect.gen(function*() {
    const ledger = yield* RunLedger
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const operations = yield* OperationLedger
    const retention = yield* RetentionLedger
    for (let number = 1; number <= runs; number++) {
      const input = number % 11 === 0 ? `echo ${"long ".repeat(number * 60)}` : `echo ${number}`
      yield* ledger.admitRun(sampleAdmission(number, input))
      const fence = { runId: sampleId.run(number), epoch: 1 }
      yield* calls.createToolCalls(fence, [sampleCall(number, number)])
      if (number % 5 === 0) continue
      yield* calls.settleToolCall(fence, {
        callId: sampleId.call(number),
        from: { state: "running", claim: "claim" },
        response: sampleResponse(number, {
          assetIds: sampleFiles(number).map(({ assetId }) => assetId),
          retainedOutput: { text: "é".repeat(number % 13 === 0 ? 9_000 : 40) },
          capture: { stdout: facts, stderr: facts, output: facts }
        }),
        assets: sampleFiles(number),
        at: sampleInstant(number + 5)
      })
      yield* turns.settleTurn(fence, sampleSettlement(number, "completed", { rest: "succeeded" }))
      yield* operations.admitOperation(sampleOperation(number + runs, number))
      if (number % 7 !== 0) continue
      const taken = yield* ledger.takeOver({ runId: fence.runId, epoch: 1, owner: sampleOwner(5), at: sampleInstant(number) })
      yield* retention.buryRun(taken, sampleInstant(number))
      yield* retention.removeRun(fence.runId)
    }
  }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
})
