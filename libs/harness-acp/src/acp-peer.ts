/**
 * One side of a connection: requests with their answers, and what comes unasked.
 *
 * Owns: the ids of our requests, who waits for which answer.
 * Never owns: bytes and lines (acp-program), what a method means.
 * Ordering: everything is handled as it is read, before the next message: an answer never overtakes what came before it.
 */
import { Effect } from "effect"
import { type AcpMessage, frameLine, type NativeAnswer, type NativeError, type NativeId, readMessage } from "./acp-message.ts"
import type { JsonRecord } from "./lenient-value.ts"

export interface Incoming {
  /** To be answered by `answer` or `refuse`, once. */
  readonly request: (request: Extract<AcpMessage, { readonly kind: "request" }>) => void
  readonly notification: (notification: Extract<AcpMessage, { readonly kind: "notification" }>) => void
  /** Something that nobody waits for or that has no form. */
  readonly odd: (code: string, text: string) => void
}

export class AcpPeer {
  readonly #write: (line: string) => void
  readonly #waiting = new Map<NativeId, (answer: NativeAnswer) => void>()
  readonly #incoming: Incoming
  #lastId = 0

  constructor(write: (line: string) => void, incoming: Incoming) {
    this.#write = write
    this.#incoming = incoming
  }

  take(value: unknown): void {
    const message = readMessage(value)
    switch (message.kind) {
      case "request":
        this.#incoming.request(message)
        break
      case "notification":
        this.#incoming.notification(message)
        break
      case "answer": {
        const answered = this.#waiting.get(message.id)
        this.#waiting.delete(message.id)
        if (answered === undefined) this.#incoming.odd("unasked-answer", "An answer to nothing that was asked")
        else answered(message.answer)
        break
      }
      case "malformed":
        this.#incoming.odd("malformed-message", "A message that is neither request nor answer")
    }
  }

  /** `answered` is called while the answer is read. The id of the request is returned. */
  ask(method: string, params: object, answered: (answer: NativeAnswer) => void): NativeId {
    const id = ++this.#lastId
    this.#waiting.set(id, answered)
    this.#write(frameLine({ jsonrpc: "2.0", id, method, params }))
    return id
  }

  /** As `ask`; whoever stops waiting forgets the answer. */
  readonly request = (method: string, params: object): Effect.Effect<NativeAnswer> =>
    Effect.callback<NativeAnswer>((resume) => {
      const id = this.ask(method, params, (answer) => resume(Effect.succeed(answer)))
      return Effect.sync(() => this.#waiting.set(id, () => undefined))
    })

  tell(method: string, params: object): void {
    this.#write(frameLine({ jsonrpc: "2.0", method, params }))
  }

  answer(id: NativeId, result: JsonRecord): void {
    this.#write(frameLine({ jsonrpc: "2.0", id, result }))
  }

  refuse(id: NativeId, error: NativeError): void {
    this.#write(frameLine({ jsonrpc: "2.0", id, error: { code: error.code, message: error.message } }))
  }
}
