/**
 * The client's part of Codex's app-server protocol.
 *
 * Owns: the handshake, threads and Turns, answers to approvals.
 */
import { type Answer, JsonRpcClient } from "../json-rpc-client.ts"
import { type JsonObject, objectOf, type RecordedProcess } from "../recorded-process.ts"
import type { Stage } from "../scenario.ts"

export const clientInfo = { name: "steno-recorder", title: "Steno recorder", version: "1" }

export type Decision = "accept" | "decline" | "cancel"

/** Answers nothing. */
export const leaving: Answer = () => Promise.withResolvers<undefined>().promise

/** Answers every approval alike. */
export const deciding = (decision: Decision): Answer => (method) => method.endsWith("/requestApproval") ? { decision } : undefined

export class CodexClient {
  readonly rpc: JsonRpcClient
  threadId = ""

  constructor(process: RecordedProcess, answer: Answer) {
    this.rpc = new JsonRpcClient(process, { versioned: false }, answer)
  }

  get process(): RecordedProcess {
    return this.rpc.process
  }

  async handshake(): Promise<void> {
    await this.rpc.request("initialize", {
      clientInfo,
      capabilities: { experimentalApi: true, requestAttestation: false }
    })
    this.rpc.notify("initialized", {})
  }

  async startThread(params: JsonObject = {}): Promise<void> {
    const { thread } = await this.rpc.request("thread/start", params)
    this.threadId = String(objectOf(thread)["id"])
  }

  async resumeThread(threadId: string): Promise<JsonObject> {
    this.threadId = threadId
    return this.rpc.request("thread/resume", { threadId })
  }

  /** Resolves with the id of the Turn when it was taken. */
  async startTurn(text: string, more: JsonObject = {}): Promise<string> {
    const { turn } = await this.rpc.request("turn/start", {
      threadId: this.threadId,
      input: [{ type: "text", text, text_elements: [] }],
      ...more
    })
    return String(objectOf(turn)["id"])
  }

  completed(turnId: string, from = 0): Promise<JsonObject> {
    return this.rpc.notified("turn/completed", from, ({ turn }) => objectOf(turn)["id"] === turnId)
  }

  async turn(text: string): Promise<JsonObject> {
    return this.completed(await this.startTurn(text))
  }
}

/** Started, its handshake answered, with a new thread or an old one. */
export const startCodex = async (
  stage: Stage,
  answer: Answer = deciding("accept"),
  thread: JsonObject = {},
  environment: Readonly<Record<string, string>> = {}
): Promise<CodexClient> => {
  const codex = new CodexClient(stage.launch(["app-server"], environment), answer)
  await codex.handshake()
  if (typeof thread["resume"] === "string") await codex.resumeThread(thread["resume"])
  else await codex.startThread(thread)
  return codex
}
