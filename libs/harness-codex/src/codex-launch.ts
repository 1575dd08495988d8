/**
 * How `codex app-server` is started and greeted.
 *
 * Owns: its arguments, the greeting, the settings that bring Steno's own MCP server to a thread.
 * Limits: the token of that server stands in a message, never in an argument list.
 */
import type { AgentCallServer } from "@steno/harness-seam"

export const appServerArguments: ReadonlyArray<string> = ["app-server"]
export const versionArguments: ReadonlyArray<string> = ["--version"]
export const schemaArguments = (folder: string): ReadonlyArray<string> => ["app-server", "generate-json-schema", "--out", folder]

/** The experimental part of the interface holds the ending of terminals. */
export const greeting = {
  clientInfo: { name: "steno", title: "Steno", version: "1" },
  capabilities: { experimentalApi: true, requestAttestation: false }
}

/** Its tools are Agent calls and make no rows. */
export const agentCallServerName = "steno"

export const threadConfig = (server: AgentCallServer | undefined): Readonly<Record<string, unknown>> =>
  server === undefined ? {} : {
    [`mcp_servers.${agentCallServerName}`]: { command: server.command, args: server.arguments, env: server.environment }
  }
