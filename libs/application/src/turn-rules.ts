/** What the end of a direct command means for its Turn and its Run. */
import type { Instant, RunState, ToolCallResponse, TurnResultKind } from "@steno/contracts"
import type { RunRecord, TurnRow } from "@steno/ledger"
import { mayBeResponseIn } from "./recorded-calls.ts"

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

type TurnPlace = Pick<TurnRow, "turnId" | "conversationId">

/** The response that a Turn's owner had stored before it died, unless a call of the Turn is still open or what came last cannot be read. */
const storedEnd = (record: Pick<RunRecord, "events" | "unfinished">, turn: TurnPlace) => {
  if (record.unfinished.some((row) => row.turnId === turn.turnId)) return undefined
  const last = record.events.findLast((event) =>
    (event.type === "tool-call-response" && event.turnId === turn.turnId) || mayBeResponseIn(event, turn)
  )
  return last?.type === "tool-call-response" ? last : undefined
}

/** An abandoned Turn follows its call if the response had been stored; otherwise nobody knows how it ended. */
export const abandonedTurnResult = (record: Pick<RunRecord, "events" | "unfinished">, turn: TurnPlace): TurnResultKind => {
  const end = storedEnd(record, turn)
  return end === undefined ? "lost" : directCommandTurnResult(end.payload)
}

/** When an abandoned Turn ended: with its stored response; otherwise nobody knows. */
export const abandonedTurnEnd = (record: Pick<RunRecord, "events" | "unfinished">, turn: TurnPlace): Instant | undefined =>
  storedEnd(record, turn)?.createdAt

/** The state the next writer will rest an abandoned Run in. A Run always has a Turn; one whose Turns are lost ended in nobody knows what. */
export const abandonedRunState = (record: Pick<RunRecord, "events" | "turns" | "unfinished">): RunState => {
  const last = record.turns.at(-1)
  return restingState(last === undefined ? "lost" : last.result ?? abandonedTurnResult(record, last))
}
