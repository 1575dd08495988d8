/**
 * The frames of the protocol, told apart.
 *
 * Owns: which of its four forms a message has, and the forms of answers.
 * Never owns: what a method means.
 */
import type { AnyMessage } from "@agentclientprotocol/sdk"
import { integerOf, isRecord, type JsonRecord, recordOf, textOf } from "./lenient-value.ts"

export type NativeId = string | number

/** What the other side gives as its reason; `message` is its own words. */
export interface NativeError {
  readonly code: number
  readonly message: string
}

export type NativeAnswer =
  | { readonly kind: "result"; readonly result: JsonRecord }
  | { readonly kind: "error"; readonly error: NativeError }

export type AcpMessage =
  | { readonly kind: "request"; readonly id: NativeId; readonly method: string; readonly params: JsonRecord }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonRecord }
  | { readonly kind: "answer"; readonly id: NativeId; readonly answer: NativeAnswer }
  | { readonly kind: "malformed" }

export const errorCodes = {
  invalidParams: -32602,
  methodNotFound: -32601,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000
} as const

const idOf = (value: unknown): NativeId | undefined =>
  typeof value === "string" || typeof value === "number" ? value : undefined

const errorOf = (value: unknown): NativeError => {
  const error = recordOf(value)
  return { code: integerOf(error.code) ?? errorCodes.internal, message: textOf(error.message) ?? "No reason was given" }
}

export const readMessage = (value: unknown): AcpMessage => {
  if (!isRecord(value)) return { kind: "malformed" }
  const id = idOf(value.id)
  const method = textOf(value.method)
  if (method !== undefined) {
    const params = recordOf(value.params)
    return id === undefined ? { kind: "notification", method, params } : { kind: "request", id, method, params }
  }
  if (id === undefined) return { kind: "malformed" }
  if (value.error !== undefined && value.error !== null) {
    return { kind: "answer", id, answer: { kind: "error", error: errorOf(value.error) } }
  }
  return { kind: "answer", id, answer: { kind: "result", result: recordOf(value.result) } }
}

/** One line, with its newline. */
export const frameLine = (frame: AnyMessage): string => `${JSON.stringify(frame)}\n`
