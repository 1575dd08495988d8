/**
 * Reads the updates of one Turn, one after the other.
 *
 * Owns: which update is what at the Seam, and what is none.
 * Never owns: texts and calls themselves (session-texts, session-calls), whose session an update is of (acp-session).
 * Ordering: nothing is told once it is closed.
 */
import type { PlanEntryStatus } from "@agentclientprotocol/sdk"
import type { ContextReport, ItemId, ItemIds, TurnReport } from "@steno/harness-seam"
import { countOf, type JsonRecord, recordOf, recordsOf, textOf, wordsOf } from "./lenient-value.ts"
import { type AskedCall, type CallReading, SessionCalls } from "./session-calls.ts"
import { SessionTexts } from "./session-texts.ts"

export interface TurnReading extends CallReading {
  /** `summaries`: the agent's thoughts are written for the person; else they are private and are not told. */
  readonly thoughts: "summaries" | "private"
}

export interface ReaderLinks {
  readonly ids: ItemIds
  readonly report: (report: TurnReport) => void
  readonly odd: (code: string, text: string) => void
  readonly isTerminal: (terminalId: string) => boolean
  readonly join: (itemId: ItemId) => void
  /** Native ids of the calls of earlier Turns of the session; those of this one are added when it is closed. */
  readonly past: Set<string>
}

const marks: ReadonlyMap<string, string> = new Map<PlanEntryStatus, string>([["completed", "x"], ["in_progress", "~"]])

const planText = (entries: unknown): string =>
  recordsOf(entries).flatMap(({ content, status }) => {
    const words = wordsOf(content)
    return words === undefined ? [] : [`- [${marks.get(textOf(status) ?? "") ?? " "}] ${words}`]
  }).join("\n")

const contextOf = (update: JsonRecord): ContextReport | undefined => {
  const [usedTokens, limitTokens] = [countOf(update.used), countOf(update.size)]
  if (usedTokens === undefined && limitTokens === undefined) return undefined
  return {
    ...(usedTokens === undefined ? {} : { usedTokens }),
    ...(limitTokens === undefined ? {} : { limitTokens })
  }
}

const silent = new Set(["user_message_chunk", "current_mode_update", "session_info_update", "config_option_update"])

export class SessionReader {
  readonly calls: SessionCalls
  readonly #texts: SessionTexts
  readonly #reading: TurnReading
  readonly #links: ReaderLinks
  #closed = false

  constructor(reading: TurnReading, links: ReaderLinks) {
    this.#reading = reading
    this.#links = links
    this.#texts = new SessionTexts(links.ids)
    this.calls = new SessionCalls(links.ids, reading, links.isTerminal, links.join)
  }

  update(update: JsonRecord): void {
    if (this.#closed) return this.#links.odd("late-update", "An update after the Turn's end")
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#chunk("message", update)
      case "agent_thought_chunk":
        if (this.#reading.thoughts === "summaries") return this.#chunk("thought", update)
        return this.#tell(this.#texts.end())
      case "tool_call":
      case "tool_call_update": {
        const nativeId = textOf(update.toolCallId) ?? ""
        const known = this.calls.has(nativeId)
        if (!known && update.sessionUpdate === "tool_call_update" && this.#links.past.has(nativeId)) {
          return this.#links.odd("late-update", "An update of a call of an earlier Turn")
        }
        this.#tell(known ? this.#texts.interrupted() : this.#texts.end())
        return this.#tell(this.calls.update(update))
      }
      case "plan":
        this.#tell(this.#texts.interrupted())
        return this.#tell([{
          type: "activity",
          activityId: this.#links.ids.named("activity", "plan"),
          text: planText(update.entries)
        }])
      case "usage_update":
        return this.#usage(update)
      default:
        if (silent.has(textOf(update.sessionUpdate) ?? "")) return
        return this.#links.odd("unknown-update", "An update of a kind that is not known")
    }
  }

  /** A permission is asked for: what it is about, told before it. */
  permission(toolCall: JsonRecord): AskedCall {
    if (!this.calls.has(textOf(toolCall.toolCallId) ?? "")) this.#tell(this.#texts.end())
    const { reports, ...asked } = this.calls.permission(toolCall)
    this.#tell(reports)
    return asked
  }

  /** `whole`: the Turn ended as it should, and so did its last text. */
  close(whole: boolean): void {
    if (this.#closed) return
    if (whole) this.#tell(this.#texts.end())
    this.#tell(this.calls.end())
    for (const nativeId of this.calls.nativeIds()) this.#links.past.add(nativeId)
    this.#closed = true
  }

  #chunk(kind: "message" | "thought", update: JsonRecord): void {
    const text = textOf(recordOf(update.content).text)
    if (text === undefined) return this.#links.odd("content-not-text", "A piece of a message that is no text")
    this.#tell(this.#texts.chunk(kind, wordsOf(update.messageId), text))
  }

  #usage(update: JsonRecord): void {
    const report = contextOf(update)
    if (report !== undefined) this.#tell([{ type: "context", report }])
    const { amount, currency } = recordOf(update.cost)
    if (typeof amount === "number" && Number.isFinite(amount) && wordsOf(currency) !== undefined) {
      this.#tell([{ type: "usage", report: { summary: `${amount} ${textOf(currency)}` } }])
    }
  }

  #tell(reports: ReadonlyArray<TurnReport>): void {
    for (const report of reports) this.#links.report(report)
  }
}
