/**
 * What the agent asks of its client in one Turn.
 *
 * Owns: which method is answered how; that every request gets one answer, also when the Turn ends under it.
 * Never owns: the answers (the host).
 */
import type { Diagnostics, TurnProducer } from "@steno/harness-seam"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { type AcpMessage, errorCodes, type NativeId } from "./acp-message.ts"
import type { AcpPeer } from "./acp-peer.ts"
import { ClientFault } from "./client-fault.ts"
import { readTextFile, writeTextFile } from "./client-files.ts"
import type { ClientTerminals } from "./client-terminals.ts"
import { type JsonRecord, recordOf, textOf, wordsOf } from "./lenient-value.ts"
import { allowedOnce, cancelledPermission, offeredOptions, outcomeOf, type PermissionOutcome } from "./permission.ts"
import type { SessionReader } from "./session-reader.ts"

type AcpRequest = Extract<AcpMessage, { readonly kind: "request" }>

export interface TurnRequestsSetup {
  readonly turn: TurnProducer
  readonly peer: AcpPeer
  readonly reader: SessionReader
  readonly terminals: ClientTerminals
  readonly offered: { readonly files: boolean; readonly terminals: boolean }
  readonly diagnostics: Diagnostics
  /** Takes what is to be done, in the order it was read. */
  readonly work: Queue.Queue<Effect.Effect<void>>
}

export class TurnRequests {
  readonly #setup: TurnRequestsSetup
  readonly #permissions = new Map<NativeId, Fiber.Fiber<void>>()
  #cancelled = false

  constructor(setup: TurnRequestsSetup) {
    this.#setup = setup
  }

  /** While the request is read. */
  take(request: AcpRequest): void {
    if (request.method === "session/request_permission") return this.#permission(request)
    if (request.method === "elicitation/create") return this.#elicitation(request)
    const { diagnostics, peer } = this.#setup
    this.#do(this.#clientMethod(request.method, request.params).pipe(
      Effect.map((result) => peer.answer(request.id, result)),
      Effect.catch(({ error }) =>
        Effect.sync(() => {
          if (error.code === errorCodes.methodNotFound) {
            diagnostics.note("unknown-request", "A request of a method that was not offered")
          }
          peer.refuse(request.id, error)
        })
      ),
      Effect.catchDefect(() =>
        Effect.sync(() => peer.refuse(request.id, { code: errorCodes.internal, message: "The client failed" }))
      ),
      Effect.forkDetach({ startImmediately: true })
    ))
  }

  /** The agent takes a request back. */
  withdraw(requestId: unknown): void {
    if (typeof requestId !== "string" && typeof requestId !== "number") return
    this.#do(Effect.suspend(() => {
      const fiber = this.#permissions.get(requestId)
      return fiber === undefined ? Effect.void : Effect.forkDetach(Fiber.interrupt(fiber))
    }))
  }

  /** Answers every permission as cancelled, those that are open and those to come. */
  readonly cancelPermissions: Effect.Effect<void> = Effect.suspend(() => {
    this.#cancelled = true
    return Fiber.interruptAll([...this.#permissions.values()])
  })

  /** Resolves when every permission was answered; they all are once the Turn has ended. */
  readonly answered: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Fiber.awaitAll([...this.#permissions.values()])))

  /** Resolves when all that was read so far was begun. */
  readonly begun: Effect.Effect<void> = Effect.suspend(() => {
    const begun = Deferred.makeUnsafe<void>()
    this.#do(Deferred.succeed(begun, undefined))
    return Deferred.await(begun)
  })

  /** Does what is to be done until it is interrupted. What was begun goes on to its answer. */
  readonly serve: Effect.Effect<never> = Effect.suspend(() => Effect.forever(Effect.flatten(Queue.take(this.#setup.work))))

  #do(work: Effect.Effect<unknown>): void {
    Queue.offerUnsafe(this.#setup.work, Effect.asVoid(work))
  }

  #permission({ id, params }: AcpRequest): void {
    const { peer, reader, turn } = this.#setup
    const toolCall = recordOf(params.toolCall)
    const offered = offeredOptions(params.options)
    const asked = reader.permission(toolCall)
    const answer = ({ outcome, refused }: PermissionOutcome) => {
      this.#permissions.delete(id)
      if (refused) reader.calls.refused(textOf(toolCall.toolCallId) ?? "")
      peer.answer(id, { outcome })
    }
    if (asked.own === true) return answer(allowedOnce(offered))
    const ask = turn.request({
      kind: "approval",
      ...(asked.itemId === undefined ? {} : { itemId: asked.itemId }),
      description: asked.description,
      decisions: offered.map(({ decision }) => decision)
    }).pipe(
      Effect.map((answered) => answer(outcomeOf(answered, offered))),
      Effect.onInterrupt(() => Effect.sync(() => answer(cancelledPermission)))
    )
    this.#do(Effect.suspend(() => {
      if (this.#cancelled || turn.ended) return Effect.sync(() => answer(cancelledPermission))
      return Effect.map(Effect.forkDetach(ask, { startImmediately: true }), (fiber) => this.#permissions.set(id, fiber))
    }))
  }

  /** Asked for by the agent though it was not offered; a server may be behind it. */
  #elicitation({ id, params }: AcpRequest): void {
    const url = wordsOf(params.url)
    this.#setup.turn.report({
      type: "elicitation-declined",
      message: textOf(params.message) ?? "",
      ...(url === undefined ? {} : { url })
    })
    this.#setup.peer.answer(id, { action: "decline" })
  }

  #clientMethod(method: string, params: JsonRecord): Effect.Effect<JsonRecord, ClientFault> {
    const { offered, reader, terminals, turn } = this.#setup
    const files = { turn, callFor: (path: string) => reader.calls.heldFor(path) }
    if (offered.files && method === "fs/read_text_file") return readTextFile(files, params)
    if (offered.files && method === "fs/write_text_file") return writeTextFile(files, params)
    if (offered.terminals && method === "terminal/create") return terminals.create(params)
    if (offered.terminals && method === "terminal/output") return terminals.output(params)
    if (offered.terminals && method === "terminal/wait_for_exit") return terminals.waitForExit(params)
    if (offered.terminals && method === "terminal/kill") return terminals.kill(params)
    if (offered.terminals && method === "terminal/release") return terminals.release(params)
    return Effect.fail(new ClientFault("not-offered", `Not offered: ${method}`))
  }
}
