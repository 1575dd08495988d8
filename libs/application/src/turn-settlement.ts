/** Settles a Turn, and lets its Run rest in the same commit. */
import type { RunState, TurnSettled } from "@steno/contracts"
import type { LedgerError, RunLedger, TurnLedger } from "@steno/ledger"
import type { OpenCallResponse, ToolCallService } from "@steno/tool-call-service"
import { DateTime, Effect, Schedule } from "effect"
import type { RecordedTurn } from "./turn-recording.ts"

/** A write that other processes or the disk refused for now is worth repeating for a few seconds. */
export const settleRetry = {
  schedule: Schedule.spaced("500 millis"),
  times: 10,
  while: (error: LedgerError) => error.isRetryable
}

export const settleTurn = (
  ledger: TurnLedger["Service"],
  { conversationId, fence, turnId }: RecordedTurn,
  settled: TurnSettled,
  rest: RunState,
  responses: ReadonlyArray<OpenCallResponse> = []
) =>
  Effect.flatMap(DateTime.now, (now) =>
    ledger.settleTurn(fence, { conversationId, turnId, settled, responses, rest, at: DateTime.formatIso(now) })
  ).pipe(Effect.retry(settleRetry))

export interface SettlementParts {
  readonly ledger: TurnLedger["Service"]
  readonly runs: RunLedger["Service"]
  readonly toolCalls: ToolCallService["Service"]
}

/** Of what stands open although every call of the Turn was ended. */
const endLeft = Effect.fnUntraced(function*(
  { runs, toolCalls }: SettlementParts,
  { fence, turnId }: RecordedTurn,
  responses: ReadonlyArray<OpenCallResponse>
) {
  const record = yield* runs.readRun(fence.runId)
  const ended = new Set(responses.map(({ response }) => response.callId))
  const left = (record?.unfinished ?? []).filter((row) => row.turnId === turnId && !ended.has(row.callId))
  return yield* toolCalls.prepareAbandoned(left.map((row) => ({ row, arguments: row.arguments })))
})

/** As `settleTurn`. A call whose own end could not be stored, which keeps its Turn open, is settled with it, as if its owner were gone. */
export const settleWholeTurn = (
  parts: SettlementParts,
  turn: RecordedTurn,
  settled: TurnSettled,
  rest: RunState,
  responses: ReadonlyArray<OpenCallResponse>
) => {
  const settle = (ends: ReadonlyArray<OpenCallResponse>) => settleTurn(parts.ledger, turn, settled, rest, ends)
  return settle(responses).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "Conflict",
      (conflict) => Effect.flatMap(endLeft(parts, turn, responses), (left) =>
        left.length === 0 ? Effect.fail(conflict) : settle([...responses, ...left]))
    )
  )
}
