/**
 * What the server was sent: in memory, and one JSON line per request in a file.
 *
 * Owns: the form of an entry, whoever waits for one.
 * Ordering: an entry is stored before the first byte of its response is sent.
 * Limits: values of headers with keys and cookies are left out.
 */
import { appendFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import type { Ended } from "./delivery.ts"
import type { ProtocolName } from "./protocol.ts"

export interface ReceivedRequest {
  /** From 1, over all conversations. */
  readonly number: number
  /** ISO-8601, UTC. */
  readonly at: string
  readonly protocol: ProtocolName
  /** The key that its place in the script is kept under. */
  readonly conversation: string
  readonly stream: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly outcome: "answer" | "error" | "mismatch"
  /** The step that was played; of a mismatch its message. */
  readonly played: string
}

const secretHeaders = new Set(["authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"])

export const loggedHeaders = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name) ? "(left out)" : String(value)]))

export interface RequestLog {
  readonly requests: () => ReadonlyArray<ReceivedRequest>
  readonly add: (request: Omit<ReceivedRequest, "number" | "at">) => ReceivedRequest
  readonly end: (number: number, ended: Ended) => void
  /** Resolves with the request of this number, from 1, when it is there. */
  readonly received: (number: number) => Promise<ReceivedRequest>
  /** Resolves when the response to the request of this number is over. */
  readonly ended: (number: number) => Promise<Ended>
}

export const openRequestLog = (file: string | undefined): RequestLog => {
  const stored: Array<ReceivedRequest> = []
  const arrivals = new Map<number, PromiseWithResolvers<ReceivedRequest>>()
  const endings = new Map<number, PromiseWithResolvers<Ended>>()
  const slot = <A>(slots: Map<number, PromiseWithResolvers<A>>, number: number): PromiseWithResolvers<A> => {
    const found = slots.get(number) ?? Promise.withResolvers<A>()
    slots.set(number, found)
    return found
  }
  return {
    requests: () => [...stored],
    add: (request) => {
      const entry = { number: stored.length + 1, at: new Date().toISOString(), ...request }
      stored.push(entry)
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
      slot(arrivals, entry.number).resolve(entry)
      return entry
    },
    end: (number, ended) => slot(endings, number).resolve(ended),
    received: (number) => slot(arrivals, number).promise,
    ended: (number) => slot(endings, number).promise
  }
}
