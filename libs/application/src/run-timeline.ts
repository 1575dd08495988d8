/**
 * What happened in a Run, and when, without its text.
 *
 * Owns: which entries an event makes, where questions to people stand among them; pure.
 * Ordering: that of the events; a question and its answer stand at their time, behind what asked and before the end of their call.
 * Limits: that something happened is known from the stored type alone; a place without one makes no entry.
 */
import {
  type CallId,
  type EventType,
  type Instant,
  type Interaction,
  type InteractionResolution,
  isAgentCall,
  type MessageBlock,
  type RequestDecision,
  type TimelineEntry,
  type TurnId
} from "@steno/contracts"
import type { OrderedEvent, RecordedCall } from "./recorded-calls.ts"

type Entry = typeof TimelineEntry.Type
type Happening = Pick<Entry, "event" | "detail" | "unreadable">

/** What is known to have happened where an event cannot be read; a type without an entry makes none. */
const unreadableHappenings: Readonly<Partial<Record<string, Happening["event"]>>> = {
  "turn-admitted": "turn-admitted",
  "assistant-message": "assistant-content",
  "assistant-content": "assistant-content",
  "thought": "thought",
  "tool-call-started": "tool-call-started",
  "tool-call-response": "tool-call-settled",
  "request-raised": "request-raised",
  "request-answered": "request-answered",
  "request-expired": "request-expired",
  "steer": "steer",
  "turn-settled": "turn-settled"
} satisfies Partial<Record<EventType, Happening["event"]>>

const ofBlock = (block: MessageBlock): Happening => {
  switch (block.type) {
    case "text":
      return { event: "assistant-content" }
    case "reasoning-summary":
      return { event: "thought" }
    case "call":
      return { event: "tool-call-started", detail: block.tool }
  }
}

const answeredWord = ({ kind }: RequestDecision): string => kind === "option" ? "answered" : kind === "deny" ? "deny" : "allow"

const happenings = (event: OrderedEvent["event"]): ReadonlyArray<Happening> => {
  switch (event.type) {
    case "turn-admitted":
      return [{ event: "turn-admitted" }]
    case "assistant-message":
      return event.payload.blocks.map(ofBlock)
    case "tool-call-started":
      return [{ event: "tool-call-started", detail: event.payload.tool }]
    case "tool-call-response": {
      const { outcome, tool } = event.payload
      const settled: Happening = { event: "tool-call-settled", detail: outcome }
      return outcome === "completed" && isAgentCall(tool) ? [settled, { event: "agent-call", detail: tool }] : [settled]
    }
    case "steer":
      return [{ event: "steer", detail: event.payload.settlement.state }]
    case "turn-settled":
      return [{ event: "turn-settled", detail: event.payload.result }]
    case "assistant-content":
      return event.payload.parentItemId === undefined ? [{ event: "assistant-content" }] : []
    case "thought":
      return [{ event: "thought" }]
    case "request-raised":
      return [{ event: "request-raised", detail: event.payload.kind === "approval" ? "approval" : "question" }]
    case "request-answered":
      return [{ event: "request-answered", detail: answeredWord(event.payload.decision) }]
    case "request-expired":
      return [{ event: "request-expired" }]
    case "agent-call":
      return event.payload.reply === undefined || event.payload.reply === "refused"
        ? []
        : [{ event: "agent-call", detail: event.payload.call }]
    case "provider-retry":
    case "turn-diff":
    case "model":
    case "elicitation-declined":
    case "agent-call-expired":
      return []
    case "unreadable": {
      const name = Object.hasOwn(unreadableHappenings, event.storedType ?? "") ? unreadableHappenings[event.storedType ?? ""] : undefined
      return name === undefined ? [] : [{ event: name, unreadable: true }]
    }
  }
}

const ofEvent = ({ at, event }: OrderedEvent): ReadonlyArray<Entry> =>
  happenings(event).map((happening) => ({
    at: event.createdAt ?? at,
    ...happening,
    ...(event.turnId === undefined ? {} : { turnId: event.turnId })
  }))

/** A question or an answer, at its time. */
interface Asked {
  readonly callId: CallId
  readonly entry: Entry
}

const answerWord = ({ value }: InteractionResolution): string =>
  "approval" in value ? value.approval.decision : "dismissed" in value ? "dismissed" : "answered"

const kindWord = ({ request }: Interaction): string => request.kind === "approval" ? "approval" : "question"

const askedBy = (callId: CallId, turnId: TurnId, interaction: Interaction): ReadonlyArray<Asked> => {
  const { raisedAt, resolution } = interaction
  const at = (time: Instant, event: Entry["event"], detail: string): Asked => ({ callId, entry: { at: time, event, detail, turnId } })
  return [
    ...(raisedAt === undefined ? [] : [at(raisedAt, "request-raised", kindWord(interaction))]),
    ...(resolution === undefined ? [] : [at(resolution.at, "request-answered", answerWord(resolution))])
  ]
}

export const runTimeline = (events: ReadonlyArray<OrderedEvent>, calls: ReadonlyArray<RecordedCall>): ReadonlyArray<Entry> => {
  let waiting = calls
    .flatMap(({ callId, response, turnId, unfinished }) =>
      (response?.interactions ?? unfinished?.interactions ?? []).flatMap((interaction) => askedBy(callId, turnId, interaction)))
    .toSorted((left, right) => left.entry.at < right.entry.at ? -1 : left.entry.at > right.entry.at ? 1 : 0)
  const before = ({ at, event }: OrderedEvent): ReadonlyArray<Entry> => {
    const ended = event.type === "tool-call-response" ? event.payload.callId : undefined
    const isDue = ({ callId, entry }: Asked) => callId === ended || entry.at < at
    if (!waiting.some(isDue)) return []
    const due = waiting.filter(isDue)
    waiting = waiting.filter((asked) => !isDue(asked))
    return due.map(({ entry }) => entry)
  }
  const entries = events.flatMap((event) => [...before(event), ...ofEvent(event)])
  return [...entries, ...waiting.map(({ entry }) => entry)]
}
