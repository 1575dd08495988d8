/**
 * The way to the owner of a Run, for the calls of one Turn.
 *
 * Never owns: who may call, and what a call means (the owner).
 * Ordering: the owner hangs up on everybody when the Turn is over, and the system does when the owner dies.
 */
import type { AgentCallReply } from "@steno/harness-seam"
import { agentCallLineBytes, type AgentCallLine } from "@steno/runtime/agent-call-socket"
import { connect, type Socket } from "node:net"
import { type HeardReply, reasonCharacters } from "./agent-call-tools.ts"

const refused = (reason: string): AgentCallReply => ({ kind: "refused", reason })

/** Undefined where nobody listens. */
const connected = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once("connect", () => resolve(socket))
    socket.on("error", () => {
      socket.destroy()
      resolve(undefined)
    })
  })

const isReply = (value: unknown): value is AgentCallReply => {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false
  return value.kind === "accepted" || value.kind === "held-for-review" ||
    (value.kind === "refused" && "reason" in value && typeof value.reason === "string")
}

const replyOf = (line: string): HeardReply => {
  try {
    const value: unknown = JSON.parse(line)
    return isReply(value) ? value : { kind: "unknown" }
  } catch {
    return { kind: "unknown" }
  }
}

const heard = (socket: Socket): Promise<HeardReply> =>
  new Promise((resolve) => {
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (piece: string) => {
      text += piece
    })
    socket.on("close", () => resolve(replyOf(text)))
  })

/** What the owner at `path` replies to one call. */
export const askOwner = async (path: string, asked: AgentCallLine): Promise<HeardReply> => {
  const line = `${JSON.stringify(asked)}\n`
  if (Buffer.byteLength(line) > agentCallLineBytes) return refused(`The reason has at most ${reasonCharacters} characters.`)
  const socket = await connected(path)
  if (socket === undefined) return refused("The Turn is over.")
  socket.write(line)
  return heard(socket)
}

export interface HeldLine {
  /** Resolves when the owner has hung up. */
  readonly hungUp: Promise<void>
  readonly letGo: () => void
}

/** A connection that asks nothing and is held until the Turn is over. Undefined where nobody listens. */
export const holdLine = async (path: string): Promise<HeldLine | undefined> => {
  const socket = await connected(path)
  return socket && {
    hungUp: new Promise((resolve) => socket.resume().once("close", () => resolve())),
    letGo: () => void socket.destroy()
  }
}
