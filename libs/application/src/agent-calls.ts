/**
 * What an agent's calls for control of its Run mean.
 *
 * Owns: the reply to such a call, when one counts, what it makes of the Run.
 * Never owns: running the call (tool-call-service), the words a model is told (the handlers in the composition layer).
 * Limits: a call counts when it completed, no later one of its Turn did, and the Turn completed. Whether it is held follows
 * from what the Run was started with, so it reads the same in every process.
 */
import {
  type AgentCallName,
  type AgentCallReply,
  type CallId,
  type ConversationId,
  isAgentCall,
  type LoggedEvent,
  type RequestId,
  type RunId,
  type StartInput,
  type TurnId
} from "@steno/contracts"
import { type LedgerError, RunLedger, type RunRecord } from "@steno/ledger"
import { Context, Effect, Layer } from "effect"

/** `refused`: this Run takes none. */
export type AgentCallVerdict = AgentCallReply | "refused"

export const agentCallVerdict = (agentCalls: StartInput["agentCalls"]): AgentCallVerdict => {
  switch (agentCalls ?? "off") {
    case "accept":
      return "accepted"
    case "review":
      return "held-for-review"
    case "off":
      return "refused"
  }
}

/** What the handlers of `run_done` and `run_failed` ask. */
export class AgentCalls extends Context.Service<AgentCalls, {
  /** What becomes of an Agent call of this Run that fits its schema. */
  readonly verdict: (runId: RunId) => Effect.Effect<AgentCallVerdict, LedgerError>
}>()("@steno/application/AgentCalls") {
  static readonly layerNoDeps = Layer.effect(
    AgentCalls,
    Effect.map(RunLedger, (runs) =>
      AgentCalls.of({
        verdict: Effect.fn("AgentCalls.verdict")(function*(runId) {
          return agentCallVerdict((yield* runs.startInput(runId))?.agentCalls)
        })
      }))
  )
}

export interface CountingAgentCall {
  /** Of the call that a model made, or of what an outside agent asked. */
  readonly id: CallId | RequestId
  readonly call: AgentCallName
  /** Absent where it lies in the arguments of the call. */
  readonly reason?: string
}

/** An Agent call that was taken, as its event says. */
const takenCall = (event: LoggedEvent): CountingAgentCall | undefined => {
  if (event.type === "tool-call-response") {
    const { callId, outcome, tool } = event.payload
    return outcome === "completed" && isAgentCall(tool) ? { id: callId, call: tool } : undefined
  }
  if (event.type !== "agent-call") return undefined
  const { call, id, reason, reply } = event.payload
  return reply !== undefined && reply !== "refused" ? { id, call, reason } : undefined
}

/** The Agent call of a Turn that counts if the Turn completes. */
export const countingAgentCall = (events: ReadonlyArray<LoggedEvent>, turnId: TurnId): CountingAgentCall | undefined => {
  const last = events.findLast((event) => event.turnId === turnId && takenCall(event) !== undefined)
  return last && takenCall(last)
}

/** The state that an applied Agent call makes its Run rest in. */
export const appliedState = (call: AgentCallName): "succeeded" | "failed" => call === "run_done" ? "succeeded" : "failed"

/** An Agent call that a person has to decide about. */
export interface HeldAgentCall extends CountingAgentCall {
  readonly turnId: TurnId
  readonly conversationId: ConversationId
}

/** Undefined where no review is pending. A decision that was taken shows in the Run: another state, or a further Turn. */
export const heldAgentCall = ({ events, run, start, turns }: Pick<RunRecord, "events" | "run" | "start" | "turns">): HeldAgentCall | undefined => {
  const last = turns.at(-1)
  const isHeld = run.state === "blocked" && last?.result === "completed" && agentCallVerdict(start?.agentCalls) === "held-for-review"
  if (!isHeld || last === undefined) return undefined
  const counting = countingAgentCall(events, last.turnId)
  return counting && { ...counting, turnId: last.turnId, conversationId: last.conversationId }
}
