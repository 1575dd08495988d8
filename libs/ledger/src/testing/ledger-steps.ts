/**
 * A lifecycle that uses every write of the ledger once or more.
 *
 * Owns: the order of the writes a crash test goes through.
 */
import type { CallOutcome } from "@steno/contracts"
import type { Effect } from "effect"
import { CallLedger } from "../calls.ts"
import type { LedgerWrite } from "../failpoint.ts"
import type { LedgerError } from "../ledger-errors.ts"
import type { Ledger } from "../ledger-layer.ts"
import { OperationLedger } from "../operations.ts"
import { RetentionLedger } from "../retention.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import {
  sampleAdmission,
  sampleAdmitted,
  sampleApproval,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOperation,
  sampleOwner,
  sampleProposal,
  sampleResolution,
  sampleResponse,
  sampleSettlement,
  sampleSteer
} from "./sample-facts.ts"

export interface LedgerStep {
  readonly write: LedgerWrite
  readonly run: Effect.Effect<unknown, LedgerError, Ledger>
}

const fence = { runId: sampleId.run(1), epoch: 1 }
const callId = sampleId.call(1)
const held = { state: "running", claim: "claim" } as const

const deletion = { ...sampleOperation(2, 1), input: { operation: "delete", runId: fence.runId } as const }

const open = (outcome: CallOutcome) => [
  { response: sampleResponse(2, { outcome }), assets: [sampleAsset(2, 3)] },
  ...[3, 4].map((call) => ({ response: sampleResponse(call, { origin: "model", outcome: "cancelled" }), assets: [] }))
]

const furtherTurn = sampleId.turn(2)

export const ledgerSteps: ReadonlyArray<LedgerStep> = [
  { write: "admitRun", run: RunLedger.use((runs) => runs.admitRun(sampleAdmission(1))) },
  {
    write: "createToolCalls",
    run: CallLedger.use((calls) =>
      calls.createToolCalls(fence, [sampleCall(1, 1, { state: "ready", claim: "first" }), sampleCall(1, 2)])
    )
  },
  {
    write: "advanceToolCall",
    run: CallLedger.use((calls) =>
      calls.advanceToolCall(fence, {
        callId,
        from: { state: "ready", claim: "first" },
        to: held,
        at: sampleInstant(3)
      })
    )
  },
  {
    write: "proposeToolCalls",
    run: CallLedger.use((calls) => calls.proposeToolCalls(fence, sampleProposal(1, [3, 4])))
  },
  {
    write: "advanceToolCall",
    run: CallLedger.use((calls) =>
      calls.advanceToolCall(fence, {
        callId: sampleId.call(3),
        from: { state: "supervising", claim: undefined },
        to: { state: "awaiting_approval", claim: undefined },
        supervision: { decision: "approval", by: "policy" },
        interaction: sampleApproval,
        at: sampleInstant(3)
      })
    )
  },
  {
    write: "recordResolution",
    run: CallLedger.use((calls) =>
      calls.recordResolution(fence, { callId: sampleId.call(3), resolution: sampleResolution(3) })
    )
  },
  { write: "appendTurnEvent", run: TurnLedger.use((turns) => turns.appendTurnEvent(fence, sampleSteer(1, "waiting"))) },
  {
    write: "keepCoordinate",
    run: TurnLedger.use((turns) =>
      turns.keepCoordinate(fence, { conversationId: sampleId.conversation(1), turnId: sampleId.turn(1), coordinate: "thread" })
    )
  },
  {
    write: "recordProcess",
    run: CallLedger.use((calls) =>
      calls.recordProcess(fence, { callId, claim: "claim", process: sampleOwner(7), at: sampleInstant(4) })
    )
  },
  {
    write: "settleToolCall",
    run: CallLedger.use((calls) =>
      calls.settleToolCall(fence, {
        callId,
        from: held,
        response: sampleResponse(1),
        assets: [sampleAsset(1, 1), sampleAsset(1, 2)],
        at: sampleInstant(5)
      })
    )
  },
  {
    write: "settleTurn",
    run: TurnLedger.use((turns) =>
      turns.settleTurn(fence, sampleSettlement(1, "lost", { responses: open("indeterminate") }))
    )
  },
  {
    write: "admitTurn",
    run: TurnLedger.use((turns) =>
      turns.admitTurn(fence, {
        conversationId: sampleId.conversation(1),
        turnId: furtherTurn,
        admitted: sampleAdmitted,
        at: sampleInstant(11)
      })
    )
  },
  {
    write: "settleTurn",
    run: TurnLedger.use((turns) => turns.settleTurn(fence, sampleSettlement(1, "completed", { turnId: furtherTurn })))
  },
  {
    write: "admitOperation",
    run: OperationLedger.use((operations) => operations.admitOperation(deletion))
  },
  {
    write: "restRun",
    run: RunLedger.use((runs) => runs.restRun(fence, { state: "halted", at: sampleInstant(12) }))
  },
  {
    write: "takeOver",
    run: RunLedger.use((runs) => runs.takeOver({ ...fence, owner: sampleOwner(8), at: sampleInstant(13) }))
  },
  {
    write: "buryRun",
    run: RetentionLedger.use((retention) => retention.buryRun({ ...fence, epoch: 2 }, sampleInstant(15)))
  },
  {
    write: "settleOperation",
    run: OperationLedger.use((operations) =>
      operations.settleOperation({ ...deletion, outcome: { status: "applied" }, at: sampleInstant(16) })
    )
  },
  { write: "removeRun", run: RetentionLedger.use((retention) => retention.removeRun(fence.runId)) }
]
