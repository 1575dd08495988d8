/**
 * A server of the Model Context Protocol on stdio with two tools: one greets, one fails.
 *
 * Limits: protocol lines by hand, so that it needs nothing installed; only what the recorded programs ask for.
 */
import { createInterface } from "node:readline"

interface Asked {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string; readonly arguments?: { readonly name?: string } }
}

const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const tools = [
  { name: "greet", description: "Greets somebody.", inputSchema },
  { name: "refuse", description: "Fails.", inputSchema }
]

const resultOf = ({ method, params }: Asked): object | undefined => {
  if (method === "initialize") {
    return { protocolVersion: params?.protocolVersion ?? "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "greeter", version: "1" } }
  }
  if (method === "ping") return {}
  if (method === "tools/list") return { tools }
  if (method !== "tools/call") return undefined
  const text = params?.name === "greet" ? `Hello, ${params.arguments?.name ?? "you"}.` : "I do not greet."
  return { content: [{ type: "text", text }], ...(params?.name === "greet" ? {} : { isError: true }) }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line) as Asked
  if (asked.id === undefined) return
  const result = resultOf(asked)
  const answer = result === undefined ? { error: { code: -32601, message: `no method ${asked.method}` } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...answer })}\n`)
})
