/**
 * Tool calls of one Turn as the agent reports them.
 *
 * Owns: when a call is told, how its end is read, which calls are Steno's own and make no row.
 * Never owns: merging and output (the producer), answers to permissions (permission).
 * Ordering: a call is told when it is more than pending, or when a permission is asked for it, so that its input is
 * known. One that Steno may turn out to run itself is told with its first output or its end.
 */
import type { CallEnding, ItemId, ItemIds, ReportedCall, TurnReport } from "@steno/harness-seam"
import { type CallFacts, contentText, factsOf, inputOf, noFacts, targetsOf, terminalsIn, toolOf } from "./call-fields.ts"
import type { ReadCallResult } from "./call-result.ts"
import { type JsonRecord, textOf, wordsOf } from "./lenient-value.ts"

export interface CallReading {
  readonly readResult: ReadCallResult
  /** Which of the client's methods the agent was offered: calls that may use one are held. */
  readonly offered: { readonly files: boolean; readonly terminals: boolean }
  /** Names of tools whose calls are none of the Turn's: those of Steno's own server. */
  readonly isOwn: (name: string) => boolean
}

/** The call that a permission is asked for. */
export interface AskedCall {
  /** Absent where the call makes no row. */
  readonly itemId?: ItemId
  readonly description: string
  /** It is one of Steno's own server. */
  readonly own?: true
}

interface Call {
  readonly itemId: ItemId
  facts: CallFacts
  state: "held" | "told" | "joined" | "ended"
  denied: boolean
}

export class SessionCalls {
  readonly #ids: ItemIds
  readonly #reading: CallReading
  readonly #join: (itemId: ItemId) => void
  readonly #isTerminal: (terminalId: string) => boolean
  readonly #calls = new Map<string, Call>()
  #broken = false

  /** @param join is told of calls that Steno runs itself, by the terminal they show */
  constructor(ids: ItemIds, reading: CallReading, isTerminal: (terminalId: string) => boolean, join: (itemId: ItemId) => void) {
    this.#ids = ids
    this.#reading = reading
    this.#isTerminal = isTerminal
    this.#join = join
  }

  has(nativeId: string): boolean {
    return this.#calls.has(nativeId)
  }

  nativeIds(): Iterable<string> {
    return this.#calls.keys()
  }

  /** A `tool_call` or `tool_call_update`; both say the same things. */
  update(update: JsonRecord): ReadonlyArray<TurnReport> {
    const call = this.#callOf(update)
    if (call === undefined || call.state === "ended") return []
    call.facts = factsOf(call.facts, update)
    if (this.#isOwn(call)) return []
    this.#joinTerminals(call, update)
    if (call.state === "joined") return []
    const status = textOf(update.status)
    if (status === "completed" || status === "failed") return this.#end(call, update, status)
    const output = contentText(update.content)
    if (call.state === "held" && output === undefined && (status !== "in_progress" || this.#mayBeOurs(call))) return []
    return this.#tell(call, output)
  }

  /** What a permission is asked for; `reports` come before the request. */
  permission(toolCall: JsonRecord): AskedCall & { readonly reports: ReadonlyArray<TurnReport> } {
    const call = this.#callOf(toolCall)
    if (call === undefined) return { description: wordsOf(toolCall.title) ?? "", reports: [] }
    call.facts = factsOf(call.facts, { ...toolCall, title: call.facts.title ?? toolCall.title })
    const description = inputOf(call.facts) || (wordsOf(toolCall.title) ?? "")
    if (this.#isOwn(call)) return { description, own: true, reports: [] }
    if (call.state === "ended") return { description, reports: [] }
    const told = call.state === "held" && !this.#mayBeOurs(call) ? this.#tell(call, undefined) : []
    return { itemId: call.itemId, description, reports: told }
  }

  /** Our refusal of exactly this call was taken. */
  refused(nativeId: string): void {
    const call = this.#calls.get(nativeId)
    if (call !== undefined) call.denied = true
  }

  /** A call that is held and may be the one that asks for this file. */
  heldFor(path: string): ItemId | undefined {
    for (const call of this.#calls.values()) {
      if (call.state !== "held" || !call.facts.paths.includes(path)) continue
      if (toolOf(call.facts) !== "read" && toolOf(call.facts) !== "file-change") continue
      call.state = "joined"
      return call.itemId
    }
    return undefined
  }

  /** From now on an end may be that of the cancel and is no evidence. */
  cancelled(): void {
    this.#broken = true
  }

  /** Calls that are still held began all the same. */
  end(): ReadonlyArray<TurnReport> {
    return [...this.#calls.values()].flatMap((call) => (call.state === "held" && !this.#isOwn(call) ? this.#tell(call, undefined) : []))
  }

  #callOf(update: JsonRecord): Call | undefined {
    const nativeId = wordsOf(update.toolCallId)
    if (nativeId === undefined) return undefined
    const known = this.#calls.get(nativeId)
    if (known !== undefined) return known
    const call: Call = { itemId: this.#ids.named("call", nativeId), facts: noFacts, state: "held", denied: false }
    this.#calls.set(nativeId, call)
    return call
  }

  #isOwn({ facts }: Call): boolean {
    return facts.name !== undefined && this.#reading.isOwn(facts.name)
  }

  #mayBeOurs({ facts }: Call): boolean {
    const tool = toolOf(facts)
    const { files, terminals } = this.#reading.offered
    return tool === "command" ? terminals : (tool === "read" || tool === "file-change") && files
  }

  #joinTerminals(call: Call, update: JsonRecord): void {
    if (call.state !== "held" || !terminalsIn(update.content).some((id) => this.#isTerminal(id))) return
    call.state = "joined"
    this.#join(call.itemId)
  }

  #fields(call: Call): ReportedCall {
    const { facts, itemId } = call
    const tool = toolOf(facts)
    const cwd = tool === "command" ? wordsOf(facts.input.cwd) : undefined
    const targets = targetsOf(facts)
    return {
      itemId,
      tool,
      input: inputOf(facts),
      ...(cwd === undefined ? {} : { cwd }),
      ...(targets.length === 0 ? {} : { files: targets })
    }
  }

  #tell(call: Call, output: string | undefined): ReadonlyArray<TurnReport> {
    const began = call.state === "held"
    call.state = "told"
    return [{
      type: began ? "call-started" : "call-updated",
      call: this.#fields(call),
      ...(output === undefined ? {} : { output })
    }]
  }

  #end(call: Call, update: JsonRecord, status: "completed" | "failed"): ReadonlyArray<TurnReport> {
    const { brokenOff, error, exitCode, files, nativeOmission, output } = this.#reading.readResult(call.facts, update)
    const value: ReportedCall = {
      ...this.#fields(call),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(nativeOmission === undefined ? {} : { nativeOmission }),
      ...(files === undefined || status === "failed" ? {} : { files })
    }
    const supplied = output === undefined ? {} : { output }
    if (brokenOff === true || (this.#broken && status === "failed" && !call.denied)) {
      const began = call.state === "held"
      call.state = "told"
      return [{ type: began ? "call-started" : "call-updated", call: value, ...supplied }]
    }
    call.state = "ended"
    const ending: CallEnding = status === "completed"
      ? { outcome: "completed" }
      : call.denied
      ? { outcome: "denied", ...(error === undefined ? {} : { reason: error }) }
      : { outcome: "failed", ...(error === undefined ? {} : { error }) }
    return [{ type: "call-ended", call: value, ending, ...supplied }]
  }
}
