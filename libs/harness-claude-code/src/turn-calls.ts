/**
 * The calls of one Turn: which were told, under which of them a frame stands.
 *
 * Owns: that a call is told once, that Agent calls are not told, which sub-agents this Turn began.
 * Never owns: what a tool is (tool-words), what came of a call (tool-outcome).
 * Limits: a call that frames stand under is told before them; what stands under another one is of another Turn.
 */
import type { ItemId, ItemIds, TurnReport } from "@steno/harness-seam"
import { type Fields, fieldsAt, textAt } from "./frame-fields.ts"
import { type NativeResult, toolOutcome } from "./tool-outcome.ts"
import { mcpTool, toolWords } from "./tool-words.ts"

type Parent = { readonly parentItemId?: ItemId }

export class TurnCalls {
  readonly #ids: ItemIds
  readonly #agentCallServer: string | undefined
  /** By native id. */
  readonly #calls = new Map<string, "told" | "silent">()
  readonly #agents = new Set<string>()

  constructor(ids: ItemIds, agentCallServer: string | undefined) {
    this.#ids = ids
    this.#agentCallServer = agentCallServer
  }

  /** Whether a native tool is one of Steno's own, which agents call to end their Run. */
  isAgentCall(name: string): boolean {
    return this.#agentCallServer !== undefined && mcpTool(name)?.server === this.#agentCallServer
  }

  /** Whether a frame is of a sub-agent that another Turn began. */
  isForeign(frame: Fields): boolean {
    const [parent, agent] = [textAt(frame, "parent_tool_use_id"), textAt(frame, "agent_id")]
    if (parent === undefined) return false
    if (!this.#calls.has(parent)) return true
    if (agent !== undefined) this.#agents.add(agent)
    return false
  }

  /** Whether a request is of such a sub-agent. */
  asksForeign(frame: Fields): boolean {
    const agent = textAt(fieldsAt(frame, "request"), "agent_id")
    return this.isForeign(frame) || (agent !== undefined && !this.#agents.has(agent))
  }

  parentOf(frame: Fields): Parent {
    const parent = textAt(frame, "parent_tool_use_id")
    return parent === undefined ? {} : { parentItemId: this.#ids.named("call", parent) }
  }

  started(nativeId: string, name: string, input: Fields, parent: Parent): ReadonlyArray<TurnReport> {
    if (this.isAgentCall(name)) {
      this.#calls.set(nativeId, "silent")
      return []
    }
    const itemId = this.#ids.named("call", nativeId)
    if (this.#calls.has(nativeId)) {
      return parent.parentItemId === undefined ? [] : [{ type: "call-updated", call: { itemId, ...parent } }]
    }
    this.#calls.set(nativeId, "told")
    return [{ type: "call-started", call: { itemId, ...toolWords(name, input), ...parent } }]
  }

  /** A sign of life. */
  alive(nativeId: string | undefined): ReadonlyArray<TurnReport> {
    if (nativeId === undefined || this.#calls.get(nativeId) !== "told") return []
    return [{ type: "call-updated", call: { itemId: this.#ids.named("call", nativeId) } }]
  }

  ended(nativeId: string, result: NativeResult, parent: Parent): ReadonlyArray<TurnReport> {
    const outcome = this.#calls.get(nativeId) === "silent" ? undefined : toolOutcome(result)
    if (outcome === undefined) return []
    this.#calls.set(nativeId, "told")
    return [{
      type: "call-ended",
      call: { itemId: this.#ids.named("call", nativeId), ...outcome.call, ...parent },
      ending: outcome.ending,
      ...(outcome.output === undefined ? {} : { output: outcome.output })
    }]
  }
}
