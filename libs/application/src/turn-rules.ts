/**
 * What the end of a Turn means for its Run, and of a direct command for its Turn.
 *
 * Owns: results, the state a Run rests in, what becomes of a Turn whose owner is gone; pure.
 */
import type { Instant, RunState, SessionAvailability, StartInput, ToolCallResponse, TurnResultKind, TurnSettled } from "@steno/contracts"
import type { TurnResult } from "@steno/harness-seam"
import type { RunRecord, TurnRow } from "@steno/ledger"
import { agentCallVerdict, appliedState, type CountingAgentCall } from "./agent-calls.ts"
import { mayBeResponseIn, outlivesOwner } from "./recorded-calls.ts"

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

export interface EndedTurn {
  readonly kind: "once" | "interactive"
  readonly result: TurnResultKind
  readonly agentCalls: StartInput["agentCalls"]
  /** The Agent call of the Turn that counts if it completed. */
  readonly agentCall: CountingAgentCall | undefined
}

/** The state a Run rests in after a Turn of a harness. An interactive one waits for the next input, unless it was interrupted. */
export const stateAfterTurn = ({ agentCall, agentCalls, kind, result }: EndedTurn): RunState => {
  if (result === "completed" && agentCall !== undefined) {
    const verdict = agentCallVerdict(agentCalls)
    if (verdict === "accepted") return appliedState(agentCall.call)
    if (verdict === "held-for-review") return "blocked"
  }
  const state = restingState(result)
  return kind === "interactive" && state !== "halted" ? "blocked" : state
}

/** Why a Turn ended as it did; of a lost one at least what nobody knows. */
const detailOf = (result: TurnResult): string | undefined => {
  if ("failure" in result && result.failure !== undefined) return `${result.failure.reason}: ${result.failure.text}`
  return result.kind === "lost" ? `${result.unknown} unknown: ${result.lastObservation}` : undefined
}

/** Of a Turn that did not start, nothing is known but that its Session had a conversation to go on with. */
const availabilityOf = (result: TurnResult, coordinate: string | undefined): SessionAvailability => {
  if (result.kind === "not-started") return coordinate === undefined ? "open" : "detached"
  return result.availability === "unusable" ? "ended" : result.availability
}

export interface PlayedTurn {
  /** Why it was to end, where that was not a person. */
  readonly reason?: string | undefined
  /** Of the outside conversation that it was to go on with. */
  readonly coordinate?: string | undefined
}

/** What is stored of a harness's result. */
export const settledTurn = (result: TurnResult, { coordinate, reason }: PlayedTurn = {}): TurnSettled => {
  const stopped = result.kind === "interrupted" || result.kind === "lost" ? reason : undefined
  const detail = [stopped, detailOf(result)].filter((words) => words !== undefined).join("; ")
  return {
    result: result.kind,
    ...(detail === "" ? {} : { detail }),
    availability: availabilityOf(result, coordinate)
  }
}

/** Whether a Turn that is not settled goes on under the next owner. */
export const isKeptTurn = ({ unfinished }: Pick<RunRecord, "unfinished">, { turnId }: Pick<TurnRow, "turnId">): boolean =>
  unfinished.some((row) => row.turnId === turnId && outlivesOwner(row))

type TurnPlace = Pick<TurnRow, "turnId" | "conversationId">

/** The response of a direct command that its owner had stored before it died, unless it is still open or what came last cannot be read. */
const storedEnd = (record: Pick<RunRecord, "events" | "unfinished">, turn: TurnPlace) => {
  if (record.unfinished.some((row) => row.turnId === turn.turnId)) return undefined
  const last = record.events.findLast((event) =>
    (event.type === "tool-call-response" && event.turnId === turn.turnId) || mayBeResponseIn(event, turn)
  )
  return last?.type === "tool-call-response" && last.payload.origin === "user" ? last : undefined
}

/**
 * A direct command's abandoned Turn follows its call if the response had been stored; otherwise nobody knows how it ended.
 * Undefined for a Turn that goes on.
 */
export const abandonedTurnResult = (
  record: Pick<RunRecord, "events" | "unfinished">,
  turn: TurnPlace
): TurnResultKind | undefined => {
  if (isKeptTurn(record, turn)) return undefined
  const end = storedEnd(record, turn)
  return end === undefined ? "lost" : directCommandTurnResult(end.payload)
}

/** The Session of a lost Turn has to be reattached where its conversation lies with an outside agent. */
export const abandonedAvailability = ({ sessions }: Pick<RunRecord, "sessions">, { conversationId }: TurnPlace): SessionAvailability =>
  sessions.some((session) => session.conversationId === conversationId && session.coordinate !== undefined) ? "detached" : "open"

/** When an abandoned Turn ended: with its stored response; otherwise nobody knows. */
export const abandonedTurnEnd = (record: Pick<RunRecord, "events" | "unfinished">, turn: TurnPlace): Instant | undefined =>
  storedEnd(record, turn)?.createdAt

/**
 * The state the next writer will rest an abandoned Run in. One whose Turns are all settled keeps its own. A Run always has a
 * Turn; one whose Turns are lost ended in nobody knows what.
 */
export const abandonedRunState = (record: Pick<RunRecord, "events" | "turns" | "unfinished" | "run">): RunState => {
  const unsettled = record.turns.filter((turn) => turn.result === undefined)
  if (unsettled.some((turn) => isKeptTurn(record, turn))) return "blocked"
  const last = record.turns.at(-1)
  if (unsettled.length === 0 && last?.result !== undefined) {
    return record.run.state === "running" ? restingState(last.result) : record.run.state
  }
  return restingState((last && (last.result ?? abandonedTurnResult(record, last))) ?? "lost")
}
