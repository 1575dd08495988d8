/**
 * The sub-agents of one Turn: threads of their own, each named by a call.
 *
 * Owns: which threads they are, the call each runs under, which of them work.
 * Limits: a thread is a sub-agent's once a call names it; before its first frame nobody knows its native Turn.
 */
import type { ItemId } from "@steno/harness-seam"
import type { CodexNotification } from "./codex-frame.ts"
import { isOfTurn, isTurnNotice } from "./codex-notification.ts"

interface SubAgent {
  readonly parent: ItemId
  turnId?: string
  over: boolean
}

/** A native Turn that goes on without the one that began it. */
export interface LastingTurn {
  readonly threadId: string
  /** Absent: not known. */
  readonly turnId?: string
}

export class CodexSubAgents {
  readonly #agents = new Map<string, SubAgent>()

  has(threadId: string): boolean {
    return this.#agents.has(threadId)
  }

  parentOf(threadId: string): ItemId | undefined {
    return this.#agents.get(threadId)?.parent
  }

  /** The call that names it first is the one it runs under. */
  name(threadId: string, parent: ItemId): void {
    if (!this.has(threadId)) this.#agents.set(threadId, { parent, over: false })
  }

  note({ method, params }: CodexNotification, threadId: string): void {
    const agent = this.#agents.get(threadId)
    if (agent === undefined) return
    if (method === "turn/completed" && isTurnNotice(params)) {
      agent.turnId = params.turn.id
      agent.over = true
    } else if (isOfTurn(params) && params.turnId !== agent.turnId) {
      agent.turnId = params.turnId
      agent.over = false
    }
  }

  get working(): ReadonlyArray<LastingTurn> {
    return [...this.#agents].filter(([, { over }]) => !over).map(([threadId, { turnId }]) =>
      turnId === undefined ? { threadId } : { threadId, turnId })
  }
}
