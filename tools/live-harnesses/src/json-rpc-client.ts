/**
 * The client's part of JSON-RPC over lines, as Codex and ACP agents speak it.
 *
 * Owns: ids of requests, answers to the program's own requests.
 * Limits: a request of the program that nobody answers gets the error -32601.
 */
import { type JsonObject, objectOf, type RecordedProcess } from "./recorded-process.ts"

/** The result for a request of the program; undefined where the method is unknown. */
export type Answer = (method: string, params: JsonObject) => JsonObject | undefined | Promise<JsonObject | undefined>

export interface JsonRpcForm {
  /** Codex leaves the member `jsonrpc` out. */
  readonly versioned: boolean
}

export class JsonRpcClient {
  readonly process: RecordedProcess
  readonly #form: JsonRpcForm
  #requests = 0

  constructor(process: RecordedProcess, form: JsonRpcForm, answer: Answer) {
    this.process = process
    this.#form = form
    process.listen((message) => {
      const { id, method } = message
      if (typeof method !== "string" || id === undefined) return
      void Promise.resolve(answer(method, objectOf(message["params"]))).then((result) =>
        this.#send(result === undefined ? { id, error: { code: -32601, message: `no method ${method}` } } : { id, result }))
    })
  }

  notify(method: string, params: JsonObject): void {
    this.#send({ method, params })
  }

  /** Sent at once; resolves with the answer, a result or an error. */
  ask(method: string, params: JsonObject): Promise<JsonObject> {
    this.#requests += 1
    const id = this.#requests
    const from = this.process.mark()
    this.#send({ id, method, params })
    return this.process.until(`answer to ${method}`, (message) => message["id"] === id && message["method"] === undefined, from)
  }

  /** The result; throws on an error. */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    const answered = await this.ask(method, params)
    if (answered["error"] !== undefined) throw new Error(`${method}: ${JSON.stringify(answered["error"])}`)
    return objectOf(answered["result"])
  }

  notified(method: string, from: number, test: (params: JsonObject) => boolean = () => true): Promise<JsonObject> {
    return this.process.until(method, (message) => message["method"] === method && test(objectOf(message["params"])), from)
  }

  #send(message: JsonObject): void {
    this.process.send(this.#form.versioned ? { jsonrpc: "2.0", ...message } : message)
  }
}
