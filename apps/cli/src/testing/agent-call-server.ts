/** The server of Agent calls as an outside agent starts it, and owners of a Run for it to reach. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { afterEach } from "vitest"
import { plainEnvironment, temporaryFolder } from "../testing.ts"

const running: Array<{ readonly end: () => unknown }> = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.end()
})

export interface AgentCallServer {
  readonly client: Client
  readonly pid: number
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  /** What the model is told of a call, and whether it is told so as of an error. */
  readonly call: (name: string, args: Record<string, unknown>) => Promise<readonly [text: string, isError: boolean]>
}

/** Starts it and shakes hands. */
export const startAgentCallServer = async (bin: string, environment: Readonly<Record<string, string>>): Promise<AgentCallServer> => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "agent-calls", "serve"],
    env: plainEnvironment(environment)
  })
  const client = new Client({ name: "test", version: "1" })
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  running.push({ end: () => client.close() })
  await client.connect(transport)
  return {
    client,
    pid: transport.pid ?? 0,
    ended,
    call: async (name, args) => {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const [first] = Array.isArray(content) ? content : []
      return [first?.type === "text" ? first.text : "", isError === true]
    }
  }
}

export interface Owner {
  readonly environment: Readonly<Record<string, string>>
  readonly kill: () => void
}

/** Does nothing with what it is asked until `onLine` says what. */
const ownerProgram = (onLine: string) => `
  const { createServer } = require("node:net")
  createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", (data) => { ${onLine} })
  }).listen(process.argv[1], () => console.log("listening"))`

/** An owner in a process of its own, so that it can die. */
export const startOwner = async (onLine = ""): Promise<Owner> => {
  const socket = join(temporaryFolder(), "owner.sock")
  const child: ChildProcess = spawn(process.execPath, ["-e", ownerProgram(onLine), socket], { stdio: ["ignore", "pipe", "inherit"] })
  running.push({ end: () => child.kill("SIGKILL") })
  await new Promise((resolve) => child.stdout?.once("data", resolve))
  return {
    environment: { STENO_AGENT_CALL_SOCKET: socket, STENO_AGENT_CALL_TOKEN: "a-token-of-a-test" },
    kill: () => void child.kill("SIGKILL")
  }
}
