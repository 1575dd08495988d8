/**
 * A server of the Model Context Protocol on stdio with three tools: one greets, one fails, one asks whom to greet.
 *
 * Limits: protocol lines by hand, so that it needs nothing installed; only what the recorded programs ask for.
 */
import { createInterface } from "node:readline"

interface Asked {
  readonly id?: number | string
  /** Absent in an answer. */
  readonly method?: string
  readonly result?: { readonly action?: string }
  readonly params?: { readonly name?: string; readonly protocolVersion?: string; readonly arguments?: { readonly name?: string } }
}

const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const tools = [
  { name: "greet", description: "Greets somebody.", inputSchema },
  { name: "refuse", description: "Fails.", inputSchema },
  { name: "ask", description: "Asks whom to greet.", inputSchema: { type: "object", properties: {} } }
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

const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

/** The call that waits for what the person says. */
let asking: Asked["id"]

createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line) as Asked
  if (asked.id === undefined) return
  if (asked.method === undefined) {
    return say({ id: asking, result: { content: [{ type: "text", text: `The person: ${asked.result?.action ?? "nothing"}.` }] } })
  }
  if (asked.params?.name === "ask") {
    asking = asked.id
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } }
    return say({ id: "question", method: "elicitation/create", params: { message: "Whom do I greet?", requestedSchema } })
  }
  const result = resultOf(asked)
  say({ id: asked.id, ...(result === undefined ? { error: { code: -32601, message: `no method ${asked.method}` } } : { result }) })
})
