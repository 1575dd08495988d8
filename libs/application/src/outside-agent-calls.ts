/**
 * Calls of an outside agent for control of its Run.
 *
 * Owns: the reply to each, which one counts if the Turn completes.
 * Never owns: how the agent makes one (its adapter), what it makes of the Run (agent-calls).
 * Ordering: a call is stored before it is replied to, the reply before the agent is told.
 * Limits: a reply waits for nobody; a call expires where its Turn ends, or it is withdrawn, before that.
 */
import { agentCallReasonCharacters, IdMinter, type StartInput } from "@steno/contracts"
import type { AgentCall, AgentCallReply, TurnHost } from "@steno/harness-seam"
import { Effect, Semaphore } from "effect"
import { agentCallVerdict, type CountingAgentCall } from "./agent-calls.ts"
import type { TurnRecording } from "./turn-recording.ts"

export interface OutsideAgentCalls {
  readonly call: TurnHost["agentCall"]
  /** The latest one that was taken; it counts if the Turn completes. */
  readonly counting: () => CountingAgentCall | undefined
}

const refused = (reason: string): AgentCallReply => ({ kind: "refused", reason })

/** Undefined: it fits. */
const unfit = ({ reason }: AgentCall): AgentCallReply | undefined =>
  reason.trim() === ""
    ? refused("A reason is needed.")
    : [...reason].length > agentCallReasonCharacters
    ? refused(`The reason has at most ${agentCallReasonCharacters} characters.`)
    : undefined

const replyOf = (agentCalls: StartInput["agentCalls"]): AgentCallReply => {
  const verdict = agentCallVerdict(agentCalls)
  return verdict === "refused" ? refused("This Run takes no such call.") : { kind: verdict }
}

/** A reply as it is stored. */
const told = (reply: AgentCallReply) => reply.kind === "refused" ? { reply: reply.kind, refusal: reply.reason } : { reply: reply.kind }

export const makeOutsideAgentCalls = Effect.fnUntraced(function*(
  agentCalls: StartInput["agentCalls"],
  recording: TurnRecording
): Effect.fn.Return<OutsideAgentCalls> {
  const ids = yield* IdMinter
  const oneByOne = yield* Semaphore.make(1)
  const replies = new Map<string, AgentCallReply>()
  let counting: CountingAgentCall | undefined

  /** The same call told again, by another way perhaps, gets the reply that it got. */
  const call = Effect.fnUntraced(function*(asked: AgentCall) {
    const known = replies.get(asked.id) ?? unfit(asked)
    if (known !== undefined) return known
    const id = yield* ids.mint("req")
    const { call: name, reason } = asked
    const payload = { id, call: name, reason }
    const notStored = refused("The record cannot be written.")
    if (!(yield* recording.told(id, { type: "agent-call", payload }))) return notStored
    yield* Effect.interruptible(Effect.yieldNow).pipe(
      Effect.onInterrupt(() => recording.told(id, { type: "agent-call-expired", payload: { id } }))
    )
    const reply = replyOf(agentCalls)
    if (!(yield* recording.told(id, { type: "agent-call", payload: { ...payload, ...told(reply) } }))) return notStored
    replies.set(asked.id, reply)
    if (reply.kind !== "refused") counting = { id, call: name, reason }
    return reply
  }, Effect.uninterruptible, oneByOne.withPermit)

  return { call, counting: () => counting }
})
