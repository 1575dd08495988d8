/** Calls of an agent for control of its Run, and how they are answered. */
import { Schema } from "effect"

export const AgentCallName = Schema.Literals(["run_done", "run_failed"])
export type AgentCallName = typeof AgentCallName.Type

export const isAgentCall = (tool: string): tool is AgentCallName => AgentCallName.literals.some((name) => name === tool)

/** A refused one has failed, with the reason. `held-for-review`: a person decides about it. */
export const AgentCallReply = Schema.Literals(["accepted", "held-for-review"])
export type AgentCallReply = typeof AgentCallReply.Type
