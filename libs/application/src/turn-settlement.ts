/** Settles a Turn, and lets its Run rest in the same commit. */
import type { RunState, TurnSettled } from "@steno/contracts"
import type { LedgerError, TurnLedger } from "@steno/ledger"
import type { OpenCallResponse } from "@steno/tool-call-service"
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
