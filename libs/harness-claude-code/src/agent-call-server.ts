/**
 * Waits for the server of Agent calls, which the program connects to beside its handshake: a model that is asked before lacks its tools.
 *
 * Never owns: how the server is named to the program (claude-program).
 * Limits: looked at every `lookMs`, for at most `harnessLimits.probeMs`; a Turn without the server is better than none.
 */
import { harnessLimits } from "@steno/contracts"
import type { Diagnostics } from "@steno/harness-seam"
import { Effect } from "effect"
import type { ClaudeConnection } from "./claude-connection.ts"
import { agentCallServerName } from "./claude-program.ts"
import { recordsAt, textAt } from "./frame-fields.ts"

const lookMs = 25

/** As the program says it; absent where it does not tell, or is gone. */
const statusOf = (connection: ClaudeConnection): Effect.Effect<string | undefined> =>
  Effect.map(Effect.suspend(() => connection.control({ subtype: "mcp_status" })), (answer) => {
    if (answer.kind !== "answered") return undefined
    const server = recordsAt(answer.response, "mcpServers").find((one) => textAt(one, "name") === agentCallServerName)
    return server && textAt(server, "status")
  })

export const agentCallServerReady = (connection: ClaudeConnection, diagnostics: Diagnostics): Effect.Effect<void> =>
  statusOf(connection).pipe(
    Effect.tap((status) => status === "pending" ? Effect.sleep(lookMs) : Effect.void),
    Effect.repeat({ while: (status) => status === "pending" }),
    Effect.raceFirst(Effect.as(connection.ended, undefined)),
    Effect.timeoutOption(harnessLimits.probeMs),
    Effect.map((status) => {
      if (status._tag === "Some" && status.value === "connected") return
      diagnostics.note("agent-calls-unavailable", "The program is not connected to the server for Agent calls")
    })
  )
