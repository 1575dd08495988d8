/**
 * Ways for the program of an outside agent to call its Run: a socket per Turn, which only this person may open.
 *
 * Owns: the socket and its token, who is answered.
 * Never owns: what a call means (application), the form of a line (agent-call-socket), the server that the program starts (the app
 * that is named).
 * Ordering: one call after the other. What a killed owner left of its sockets is removed before the next one is opened.
 * Limits: a socket's path that the system finds too long offers no server.
 */
import { AgentCallServers, HomeFolder, type OpenedAgentCallServer } from "@steno/application"
import { AgentCallName, type TurnId } from "@steno/contracts"
import type { AgentCallReply, TurnHost } from "@steno/harness-seam"
import { Clock, Effect, Fiber, Layer, Option, Queue, Schema } from "effect"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { agentCallLineBytes, agentCallVariables, type AgentCallLine } from "./agent-call-socket.ts"

/** The program that speaks for this socket to an outside agent. */
export interface AgentCallProgram {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
}

const AgentCallLineSchema: Schema.Codec<AgentCallLine> = Schema.Struct({
  token: Schema.String,
  id: Schema.NonEmptyString,
  call: AgentCallName,
  reason: Schema.String
})

const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(AgentCallLineSchema))

const digest = (text: string) => createHash("sha256").update(text).digest()

const refused = (reason: string): AgentCallReply => ({ kind: "refused", reason })

interface Asked {
  readonly line: string
  readonly socket: Socket
}

/** Hands each connection's first line over. */
const listenFor = (asked: Queue.Queue<Asked>, sockets: Set<Socket>) =>
  createServer((socket) => {
    let text = ""
    sockets.add(socket)
    socket.setEncoding("utf8")
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (piece: string) => {
      text += piece
      const end = text.indexOf("\n")
      if (end >= 0 && end <= agentCallLineBytes) {
        socket.removeAllListeners("data")
        Queue.offerUnsafe(asked, { line: text.slice(0, end), socket })
      } else if (text.length > agentCallLineBytes) socket.destroy()
    })
  })

const listening = (server: Server, path: string) =>
  Effect.callback<void, Error>((resume) => {
    server.on("error", (error) => resume(Effect.fail(error)))
    server.listen(path, () => resume(Effect.void))
  }).pipe(Effect.andThen(Effect.try(() => chmodSync(path, 0o600))))

/** Younger ones may be bound and not listen yet. */
const leftBehindMs = 60_000

/** Whether this is a socket that nobody listens on: its owner was killed. */
const isLeftBehind = (path: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(path)
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code === "ECONNREFUSED")))
  })

/** Whatever else lies there, or cannot be removed, stays and is no fault of the Turn's. */
const sweep = Effect.fnUntraced(function*(folder: string) {
  const now = yield* Clock.currentTimeMillis
  const sockets = yield* Effect.try(() =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name)))
  const old = sockets.filter((path) => now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > leftBehindMs)
  const left = yield* Effect.filter(old, isLeftBehind)
  yield* Effect.forEach(left, (path) => Effect.try(() => rmSync(path, { force: true })), { discard: true })
}, (effect) => Effect.ignore(effect))

const openServer = Effect.fnUntraced(function*(folder: string, program: AgentCallProgram): Effect.fn.Return<
  OpenedAgentCallServer,
  Error
> {
  yield* Effect.try(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  yield* sweep(folder)
  const token = randomBytes(32).toString("base64url")
  const path = join(folder, `${randomBytes(6).toString("hex")}.sock`)
  const asked = yield* Queue.unbounded<Asked>()
  const sockets = new Set<Socket>()
  let served: TurnHost["agentCall"] | undefined

  const answerTo = (line: string): Effect.Effect<AgentCallReply> => {
    const request = decodeLine(line)
    if (Option.isNone(request)) return Effect.succeed(refused("The call is not understood."))
    const { token: given, ...call } = request.value
    if (!timingSafeEqual(digest(given), digest(token))) return Effect.succeed(refused("The call is of no Turn that is live."))
    return served === undefined ? Effect.succeed(refused("The Turn has not begun.")) : served(call)
  }

  const answer = ({ line, socket }: Asked) =>
    Effect.flatMap(answerTo(line), (reply) =>
      Effect.sync(() => {
        socket.end(`${JSON.stringify(reply)}\n`)
      }))

  const server = listenFor(asked, sockets)
  yield* listening(server, path)
  const fiber = yield* Effect.forkDetach(Effect.forever(Effect.flatMap(Queue.take(asked), answer)))
  return {
    server: {
      command: program.command,
      arguments: program.arguments,
      environment: { [agentCallVariables.socket]: path, [agentCallVariables.token]: token }
    },
    secret: token,
    serve: (call) =>
      Effect.sync(() => {
        served = call
      }),
    close: Effect.andThen(
      Fiber.interrupt(fiber),
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
        rmSync(path, { force: true })
      })
    )
  }
})

/** @param program absent: no outside agent is offered a server */
export const agentCallServersLayer = (program: AgentCallProgram | undefined) =>
  Layer.effect(
    AgentCallServers,
    Effect.map(HomeFolder, ({ path }) =>
      AgentCallServers.of({
        open: Effect.fn("AgentCallServers.open")((turnId: TurnId) =>
          program === undefined ? Effect.undefined : openServer(join(path, "sockets"), program).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`Turn ${turnId} takes no call of its agent: ${error.message}`), undefined))
          ))
      }))
  )
