/**
 * Servers through which the program of an outside agent calls its Run. Provided by the composition layer.
 *
 * Owns: what the application asks of one.
 * Never owns: the way from the program to this process.
 * Limits: one per prepared harness; calls are refused before its Turn serves them and after it is closed.
 */
import type { TurnId } from "@steno/contracts"
import type { AgentCallServer, TurnHost } from "@steno/harness-seam"
import { Context, type Effect } from "effect"

export interface OpenedAgentCallServer {
  /** What the harness starts. */
  readonly server: AgentCallServer
  /** Opens the server, for this Turn alone; nothing repeats it where a person or a model reads. */
  readonly secret: string
  readonly serve: (call: TurnHost["agentCall"]) => Effect.Effect<void>
  /** Nobody is answered from here on. Idempotent. */
  readonly close: Effect.Effect<void>
}

export class AgentCallServers extends Context.Service<AgentCallServers, {
  /** Undefined where none can be offered; why is logged. */
  readonly open: (turnId: TurnId) => Effect.Effect<OpenedAgentCallServer | undefined>
}>()("@steno/application/AgentCallServers") {}
