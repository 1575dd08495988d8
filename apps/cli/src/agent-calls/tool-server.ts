/** The server of the Model Context Protocol that offers an outside agent the calls of its Run. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { type CallToolResult, CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import type { AgentCallLine } from "@steno/runtime/agent-call-socket"
import manifest from "../../package.json" with { type: "json" }
import { agentCallTools, type HeardReply, isAgentCallName, replyWords } from "./agent-call-tools.ts"

export type Ask = (call: Pick<AgentCallLine, "call" | "reason">) => Promise<HeardReply>

const refused = (reason: string): HeardReply => ({ kind: "refused", reason })

const answered = async (name: string, reason: unknown, ask: Ask): Promise<HeardReply> => {
  if (!isAgentCallName(name)) return refused("There is no such tool.")
  return typeof reason === "string" ? ask({ call: name, reason }) : refused("A reason is needed, as text.")
}

const resultOf = (reply: HeardReply): CallToolResult => ({
  content: [{ type: "text", text: replyWords(reply) }],
  isError: reply.kind === "refused" || reply.kind === "unknown"
})

export const makeToolServer = (ask: Ask): Server => {
  const server = new Server({ name: "steno", version: manifest.version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: agentCallTools }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    resultOf(await answered(params.name, params.arguments?.["reason"], ask)))
  return server
}
