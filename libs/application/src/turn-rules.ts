/** What the end of a direct command means for its Turn and its Run. */
import type { RunState, ToolCallResponse, TurnId, TurnResultKind } from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"

export const directCommandTurnResult = (
  response: Pick<ToolCallResponse, "outcome" | "exitCode">
): TurnResultKind => {
  switch (response.outcome) {
    case "completed":
      return response.exitCode === 0 ? "completed" : "failed"
    case "failed":
    case "denied":
      return "failed"
    case "cancelled":
      return "interrupted"
    case "indeterminate":
      return "lost"
  }
}

/** The state a Run that takes one input rests in after its last Turn. */
export const restingState = (result: TurnResultKind): RunState => {
  switch (result) {
    case "completed":
      return "succeeded"
    case "failed":
    case "not-started":
      return "failed"
    case "interrupted":
    case "lost":
      return "halted"
  }
}

/** An abandoned Turn follows its call if the response had been stored; otherwise nobody knows how it ended. */
export const abandonedTurnResult = (
  record: Pick<RunRecord, "events" | "unfinished">,
  turnId: TurnId
): TurnResultKind => {
  if (record.unfinished.some((row) => row.turnId === turnId)) return "lost"
  const last = record.events.findLast((event) => event.type === "tool-call-response" && event.turnId === turnId)
  return last?.type === "tool-call-response" ? directCommandTurnResult(last.payload) : "lost"
}

/** The state the next writer will rest an abandoned Run in. */
export const abandonedRunState = (record: Pick<RunRecord, "events" | "turns" | "unfinished">): RunState => {
  const last = record.turns.at(-1)
  return restingState(last === undefined ? "not-started" : last.result ?? abandonedTurnResult(record, last.turnId))
}
