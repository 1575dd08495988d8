/**
 * What a player knows of a request, whatever protocol it came in.
 *
 * Owns: the facts and what is read from them: what came since the last answer, how many answers a conversation holds.
 * Never owns: how a protocol says them (scripted-model, harness-hosted).
 */

export interface CallFact {
  readonly id: string
  readonly tool: string
}

export type MessageFact =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: ReadonlyArray<CallFact> }
  | { readonly role: "tool"; readonly callId: string; readonly text: string }

export interface RequestFacts {
  readonly model: string
  /** Empty where the request has none. */
  readonly system: string
  /** Names of the tools that are offered. */
  readonly tools: ReadonlyArray<string>
  /** Without the system prompt, oldest first; a tool result is a message. */
  readonly messages: ReadonlyArray<MessageFact>
}

export interface ResultFact {
  /** Absent where no call of the conversation has the result's id. */
  readonly tool?: string
  readonly text: string
}

/** The messages behind the last one of the assistant. */
export const newMessages = ({ messages }: RequestFacts): ReadonlyArray<MessageFact> =>
  messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)

const toolOf = ({ messages }: RequestFacts, callId: string): string | undefined => {
  for (const message of messages.toReversed()) {
    const call = message.role === "assistant" ? message.calls.find(({ id }) => id === callId) : undefined
    if (call !== undefined) return call.tool
  }
  return undefined
}

/** The tool results since the last answer, in order. */
export const newResults = (facts: RequestFacts): ReadonlyArray<ResultFact> =>
  newMessages(facts).flatMap((message) => {
    if (message.role !== "tool") return []
    const tool = toolOf(facts, message.callId)
    return [tool === undefined ? { text: message.text } : { tool, text: message.text }]
  })

/** What the user said since the last answer. */
export const newInput = (facts: RequestFacts): string =>
  newMessages(facts).flatMap((message) => (message.role === "user" ? [message.text] : [])).join("\n")

/** The text of the newest tool result; empty where there is none. */
export const lastResultText = ({ messages }: RequestFacts): string =>
  messages.findLast(({ role }) => role === "tool")?.text ?? ""

/** How many answers the conversation holds: messages of the assistant that follow each other are one. */
export const answersHeld = ({ messages }: RequestFacts): number =>
  messages.filter(({ role }, index) => role === "assistant" && messages[index - 1]?.role !== "assistant").length
