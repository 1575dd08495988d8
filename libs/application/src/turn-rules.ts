/** What the end of a direct command means for its Turn and its Run. */
import type { Instant, RunState, ToolCallResponse, TurnId, TurnResultKind } from "@steno/contracts"
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

/** The response that a Turn's owner had stored before it died, unless a call of the Turn is still open. */
const storedEnd = (record: Pick<RunRecord, "events" | "unfinished">, turnId: TurnId) => {
  if (record.unfinished.some((row) => row.turnId === turnId)) return undefined
  const last = record.events.findLast((event) => event.type === "tool-call-response" && event.turnId === turnId)
  return last?.type === "tool-call-response" ? last : undefined
}

/** An abandoned Turn follows its call if the response had been stored; otherwise nobody knows how it ended. */
export const abandonedTurnResult = (
  record: Pick<RunRecord, "events" | "unfinished">,
  turnId: TurnId
): TurnResultKind => {
  const end = storedEnd(record, turnId)
  return end === undefined ? "lost" : directCommandTurnResult(end.payload)
}

/** When an abandoned Turn ended: with its stored response; otherwise nobody knows. */
export const abandonedTurnEnd = (
  record: Pick<RunRecord, "events" | "unfinished">,
  turnId: TurnId
): Instant | undefined => storedEnd(record, turnId)?.createdAt

/** The state the next writer will rest an abandoned Run in. */
export const abandonedRunState = (record: Pick<RunRecord, "events" | "turns" | "unfinished">): RunState => {
  const last = record.turns.at(-1)
  return restingState(last === undefined ? "not-started" : last.result ?? abandonedTurnResult(record, last.turnId))
}
