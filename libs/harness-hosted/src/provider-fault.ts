/**
 * Why a model did not answer, and whether asking again may help.
 *
 * Owns: the kinds of faults, how errors of the providers' libraries are read.
 * Limits: words are the provider's reason or ours; no address, no request, no key stands in them.
 */
import { APICallError } from "@ai-sdk/provider"
import { turnFailure, type TurnFailure } from "@steno/harness-seam"
import { Schema } from "effect"

export class ProviderFault extends Schema.TaggedError<ProviderFault>()("ProviderFault", {
  /** `status`: an HTTP error or one in the stream. `connection`: refused, broken. `protocol`: not understood. */
  kind: Schema.Literals(["status", "connection", "protocol"]),
  /** HTTP status, or what the provider's error stands for. */
  status: Schema.optionalKey(Schema.Int),
  explanation: Schema.String
}) {
  override get message() {
    return this.explanation
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined

/** The message of an error in whatever form a provider sends it in. */
const reasonOf = (error: unknown): string => {
  if (typeof error === "string") return error
  const message = field(error, "message") ?? field(field(error, "error"), "message") ?? field(field(field(error, "response"), "error"), "message")
  return typeof message === "string" && message !== "" ? message : "no reason was given"
}

const statusOf = (error: unknown): number | undefined => {
  const status = field(error, "statusCode") ?? field(error, "status") ?? field(error, "code")
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599 ? Number(status) : undefined
}

/** An error that the provider declared, in place of an answer or in the middle of one. */
export const declaredFault = (error: unknown): ProviderFault => {
  const status = statusOf(error)
  const words = status === undefined ? "The provider declared an error" : `The provider answered ${status}`
  return new ProviderFault({ kind: "status", explanation: `${words}: ${reasonOf(error)}`, ...(status === undefined ? {} : { status }) })
}

const codeOf = (error: unknown): string | undefined => {
  for (let cause = error, depth = 0; depth < 4 && cause !== undefined; cause = field(cause, "cause"), depth++) {
    const code = field(cause, "code")
    if (typeof code === "string") return code
  }
  return undefined
}

const unreadable = new Set(["AI_JSONParseError", "AI_TypeValidationError", "AI_InvalidResponseDataError", "AI_EmptyResponseBodyError"])

export const brokenConnection = (code?: string): ProviderFault =>
  new ProviderFault({ kind: "connection", explanation: `The connection to the provider broke or was refused${code === undefined ? "" : ` (${code})`}` })

export const unreadableAnswer = (): ProviderFault =>
  new ProviderFault({ kind: "protocol", explanation: "The provider sent something that is not understood" })

/** An error that a provider's library gave in its stream. */
export const streamedFault = (error: unknown): ProviderFault => {
  const name = field(error, "name")
  return typeof name === "string" && unreadable.has(name) ? unreadableAnswer() : declaredFault(error)
}

/** What a provider's library threw. */
export const thrownFault = (error: unknown): ProviderFault => {
  if (error instanceof ProviderFault) return error
  if (APICallError.isInstance(error)) {
    return error.statusCode === undefined || error.statusCode < 400 ? brokenConnection(codeOf(error)) : declaredFault(error)
  }
  const name = field(error, "name")
  return typeof name === "string" && unreadable.has(name) ? unreadableAnswer() : brokenConnection(codeOf(error))
}

/** True where the same request may be answered a little later: too many requests, a fault of the server, no connection. */
export const mayPass = ({ kind, status }: ProviderFault): boolean =>
  kind === "connection" || (status !== undefined && (status === 429 || status >= 500))

export const failureOf = ({ explanation, kind, status }: ProviderFault): TurnFailure =>
  turnFailure(status === 401 || status === 403 ? "auth" : kind === "protocol" ? "protocol" : "native", explanation)
