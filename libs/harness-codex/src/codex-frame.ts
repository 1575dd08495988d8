/**
 * The messages of `codex app-server`, as JSON-RPC without its version field.
 *
 * Owns: telling answers, refusals, requests and notifications apart.
 * Never owns: what their parameters mean.
 */
import { Schema } from "effect"

const RequestId = Schema.Union([Schema.Number, Schema.String])
export type RequestId = typeof RequestId.Type

export type CodexFrame =
  | { readonly kind: "answer"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "refusal"; readonly id: RequestId; readonly code: number; readonly message: string }
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | CodexNotification
  | { readonly kind: "unreadable" }

export interface CodexNotification {
  readonly kind: "notification"
  readonly method: string
  readonly params: unknown
}

const isRequest = Schema.is(Schema.Struct({ id: RequestId, method: Schema.String, params: Schema.optionalKey(Schema.Unknown) }))
const isNotification = Schema.is(Schema.Struct({ method: Schema.String, params: Schema.optionalKey(Schema.Unknown) }))
const isAnswer = Schema.is(Schema.Struct({ id: RequestId, result: Schema.Unknown }))
const isRefusal = Schema.is(
  Schema.Struct({ id: RequestId, error: Schema.Struct({ code: Schema.Number, message: Schema.String }) })
)

export const codexFrame = (value: unknown): CodexFrame => {
  if (isRequest(value)) return { kind: "request", id: value.id, method: value.method, params: value.params }
  if (isNotification(value)) return { kind: "notification", method: value.method, params: value.params }
  if (isRefusal(value)) return { kind: "refusal", id: value.id, code: value.error.code, message: value.error.message }
  if (isAnswer(value)) return { kind: "answer", id: value.id, result: value.result }
  return { kind: "unreadable" }
}
