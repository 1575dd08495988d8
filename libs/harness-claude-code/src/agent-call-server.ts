/**
 * Gives the program the server of Agent calls, over its own protocol: the token of the Turn stands neither among arguments, which
 * everybody on the machine can read, nor in the environment that the program's commands inherit.
 *
 * Ordering: resolves once the program is connected to the server: a model that is asked before lacks its tools.
 * Limits: waits for at most `harnessLimits.probeMs`; a Turn without the server is better than none.
 */
import { harnessLimits } from "@steno/contracts"
import type { AgentCallServer, Diagnostics } from "@steno/harness-seam"
import { Effect } from "effect"
import type { ClaudeConnection, ControlAnswer } from "./claude-connection.ts"
import { fieldsAt } from "./frame-fields.ts"

/** The name of Steno's server among those of the program. */
export const agentCallServerName = "steno"

const requestFor = ({ arguments: args, command, environment }: AgentCallServer) => ({
  subtype: "mcp_set_servers",
  servers: { [agentCallServerName]: { type: "stdio", command, args, env: environment } }
})

const isConnected = (answer: ControlAnswer): boolean =>
  answer.kind === "answered" && !Object.hasOwn(fieldsAt(answer.response, "errors"), agentCallServerName)

export const giveAgentCallServer = (
  connection: ClaudeConnection,
  server: AgentCallServer,
  diagnostics: Diagnostics
): Effect.Effect<void> =>
  Effect.suspend(() => connection.control(requestFor(server))).pipe(
    Effect.map(isConnected),
    Effect.timeoutOption(harnessLimits.probeMs),
    Effect.map((connected) => {
      if (connected._tag === "Some" && connected.value) return
      diagnostics.note("agent-calls-unavailable", "The program is not connected to the server for Agent calls")
    })
  )
