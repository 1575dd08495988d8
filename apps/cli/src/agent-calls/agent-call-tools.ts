/**
 * The two tools that an outside agent calls its Run by, and what its model is told of a call.
 *
 * Never owns: what a call means (application).
 * Limits: the tools are those that the built-in loop offers, written down once more, because a start that made them from their
 * schemas would take twice as long; a test holds the two beside each other.
 */
import type { AgentCallReply } from "@steno/harness-seam"
import type { AgentCallLine } from "@steno/runtime/agent-call-socket"

type AgentCallName = AgentCallLine["call"]

export const reasonCharacters = 400

const inputSchema = {
  type: "object" as const,
  properties: {
    reason: {
      type: "string",
      description: `Why, for the person who reads the Run; at most ${reasonCharacters} characters.`,
      minLength: 1,
      maxLength: reasonCharacters
    }
  },
  required: ["reason"],
  additionalProperties: false
}

const descriptions: { readonly [Name in AgentCallName]: string } = {
  run_done: "Says that the objective of the Run is reached. Call it once, last, after checking the work.",
  run_failed: "Says that the objective of the Run cannot be reached, and why. Call it instead of run_done."
}

export const isAgentCallName = (name: string): name is AgentCallName => Object.hasOwn(descriptions, name)

export const agentCallTools = Object.entries(descriptions).map(([name, description]) => ({ name, description, inputSchema }))

/** `unknown`: the call was sent, and nobody answered. */
export type HeardReply = AgentCallReply | { readonly kind: "unknown" }

export const replyWords = (reply: HeardReply): string => {
  switch (reply.kind) {
    case "accepted":
      return "Accepted."
    case "held-for-review":
      return "Held for review by a person."
    case "refused":
      return `Refused: ${reply.reason}`
    case "unknown":
      return "Nobody answered. Whether the call counts is not known."
  }
}
