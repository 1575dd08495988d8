/**
 * The client's part of the Agent Client Protocol, version 1.
 *
 * Owns: the handshake, sessions, prompts, answers to permissions.
 * Limits: offers files and terminals; an agent that wants to read a file or start a terminal gets -32601.
 */
import { type Answer, JsonRpcClient } from "../json-rpc-client.ts"
import { type JsonObject, objectOf, type RecordedProcess } from "../recorded-process.ts"
import type { Stage } from "../scenario.ts"

export type PermissionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always"

/** Chooses the option of this kind; says of files that it has written them, and writes none. */
export const choosing = (kind: PermissionKind): Answer => (method, params) => {
  if (method === "fs/write_text_file") return {}
  if (method !== "session/request_permission") return undefined
  const options = Array.isArray(params["options"]) ? params["options"].map(objectOf) : []
  const option = options.find((offered) => offered["kind"] === kind)
  return { outcome: option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option["optionId"] } }
}

export class AcpClient {
  readonly rpc: JsonRpcClient
  readonly #cwd: string
  sessionId = ""

  constructor(process: RecordedProcess, cwd: string, answer: Answer) {
    this.rpc = new JsonRpcClient(process, { versioned: true }, answer)
    this.#cwd = cwd
  }

  get process(): RecordedProcess {
    return this.rpc.process
  }

  handshake(): Promise<JsonObject> {
    return this.rpc.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      clientInfo: { name: "steno-recorder", title: "Steno recorder", version: "1" }
    })
  }

  async newSession(mcpServers: ReadonlyArray<JsonObject> = []): Promise<void> {
    this.sessionId = String((await this.rpc.request("session/new", { cwd: this.#cwd, mcpServers }))["sessionId"])
  }

  /** An error of the program is an answer too. */
  loadSession(sessionId: string): Promise<JsonObject> {
    this.sessionId = sessionId
    return this.rpc.ask("session/load", { sessionId, cwd: this.#cwd, mcpServers: [] })
  }

  /** Resolves with the answer, which ends the Turn. */
  prompt(text: string): Promise<JsonObject> {
    return this.rpc.ask("session/prompt", { sessionId: this.sessionId, prompt: [{ type: "text", text }] })
  }

  cancel(): void {
    this.rpc.notify("session/cancel", { sessionId: this.sessionId })
  }
}

/** Started, its handshake answered, without a session. */
export const startAcp = async (stage: Stage, answer: Answer = choosing("allow_once")): Promise<AcpClient> => {
  const client = new AcpClient(stage.launch(["acp"]), stage.scratch.workspace, answer)
  await client.handshake()
  return client
}
