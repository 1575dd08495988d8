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
const isAnswer = Schema.is(Schema.Struct({
  id: RequestId,
  method: Schema.optionalKey(Schema.Never),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
}))
const hasCode = Schema.is(Schema.Struct({ code: Schema.Number }))
const hasMessage = Schema.is(Schema.Struct({ message: Schema.String }))

const internalError = -32_603

const refusal = (id: RequestId, error: unknown): CodexFrame => ({
  kind: "refusal",
  id,
  code: hasCode(error) ? error.code : internalError,
  message: hasMessage(error) ? error.message : "Codex gave no reason"
})

export const codexFrame = (value: unknown): CodexFrame => {
  if (isRequest(value)) return { kind: "request", id: value.id, method: value.method, params: value.params }
  if (isNotification(value)) return { kind: "notification", method: value.method, params: value.params }
  if (!isAnswer(value)) return { kind: "unreadable" }
  const { error, id, result } = value
  return error === undefined || error === null ? { kind: "answer", id, result } : refusal(id, error)
}
