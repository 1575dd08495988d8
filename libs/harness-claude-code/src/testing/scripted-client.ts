/**
 * What the client of the scripted program said, and what it is asked.
 *
 * Owns: that each answer goes to whoever asked.
 */
import { spawn } from "node:child_process"
import type { Fields } from "../frame-fields.ts"
import { call, note, say } from "./scripted-frames.ts"

/** Resolves with each of the values in turn. */
export class Inbox<Value> {
  readonly #values: Array<Value> = []
  readonly #takers: Array<(value: Value) => void> = []

  put(value: Value): void {
    const taker = this.#takers.shift()
    if (taker === undefined) this.#values.push(value)
    else taker(value)
  }

  take(): Promise<Value> {
    const value = this.#values.shift()
    return value === undefined ? new Promise((resolve) => this.#takers.push(resolve)) : Promise.resolve(value)
  }
}

export const steers = new Inbox<string>()
export const interrupts = new Inbox<string>()
export const answers = new Map<string, Inbox<Fields>>()
let requests = 0
export const requestCount = (): number => requests

/** Resolves with how it was answered. */
export const permission = async (toolUseId: string, toolName: string, input: Fields, more: Fields = {}): Promise<Fields> => {
  const requestId = `native-request-${++requests}`
  const inbox = new Inbox<Fields>()
  answers.set(requestId, inbox)
  note("asked", requestId)
  say({
    type: "control_request",
    request_id: requestId,
    request: { subtype: "can_use_tool", tool_name: toolName, input, tool_use_id: toolUseId, ...more }
  })
  return inbox.take()
}
export const bashPermission = (id: string): Promise<Fields> => {
  call(id, "make")
  return permission(id, "Bash", { command: "make" })
}
/** A command of the program, in a session of its own. */
export const lastingCommand = (id: string): void => {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
  note("pid", child.pid)
  call(id, "sleep 600")
}
