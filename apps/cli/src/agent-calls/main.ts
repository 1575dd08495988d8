/**
 * Serves the Agent calls of one Turn to the program of an outside agent, over the standard streams of this process.
 *
 * Owns: when this process ends: with the Turn, with its owner, or when the program that started it closes a stream.
 * Never owns: the tools (agent-call-tools), the way to the owner (owner-socket).
 * Limits: loads neither Effect nor anything of the product but a few constants; it starts beside every Turn that may call its Run.
 */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { agentCallVariables } from "@steno/runtime/agent-call-socket"
import { randomUUID } from "node:crypto"
import { askOwner, holdLine } from "./owner-socket.ts"
import { makeToolServer } from "./tool-server.ts"

/** How long a reply that was asked for may still take when the end has come. */
const lastReplyMs = 500

const complain = (code: number, explanation: string): void => {
  process.stderr.write(`Error: ${explanation}\n`)
  process.exitCode = code
}

const closed = (stream: NodeJS.ReadableStream | NodeJS.WritableStream) =>
  new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stream.on(event, () => resolve())
  })

export const main = async (): Promise<void> => {
  const { [agentCallVariables.socket]: path, [agentCallVariables.token]: token } = process.env
  if (path === undefined || token === undefined) {
    return complain(64, "Steno starts this command itself, for the agent of a Run that takes its calls.")
  }
  const line = await holdLine(path)
  if (line === undefined) return complain(1, "the Turn whose calls this command would serve is over.")
  const server = makeToolServer((call) => askOwner(path, { ...call, token, id: randomUUID() }))
  const over = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  const ends = [line.hungUp, over, closed(process.stdin), closed(process.stdout)]
  await server.connect(new StdioServerTransport())
  await Promise.race(ends)
  line.letGo()
  process.stdin.destroy()
  setTimeout(() => process.exit(), lastReplyMs).unref()
}
