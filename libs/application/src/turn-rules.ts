/** What the end of a direct command means for its Turn and its Run. */
import type { RunState, ToolCallResponse, TurnResultKind } from "@steno/contracts"

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
