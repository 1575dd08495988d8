/**
 * What the frame `result` says of a native Turn's end.
 *
 * Owns: when it completed, failed or was broken off, and why.
 * Limits: the text that the frame repeats is text of the Turn and is not told; of a model error it is the provider's reason.
 */
import { type TurnFailure, turnFailure } from "@steno/harness-seam"
import { type Fields, fieldsAt, textAt, textsAt, wholeAt } from "./frame-fields.ts"

export type NativeEnd =
  | { readonly kind: "completed" }
  /** An interrupt, ours or the program's own. */
  | { readonly kind: "aborted" }
  | { readonly kind: "failed"; readonly failure: TurnFailure }

const unauthorized = [401, 403]

const modelFailure = (frame: Fields): TurnFailure => {
  const status = wholeAt(frame, "api_error_status")
  const reason = status !== undefined && unauthorized.includes(status) ? "auth" : "native"
  return turnFailure(reason, textAt(frame, "result") ?? "The model could not be asked")
}

export const nativeEnd = (frame: Fields): NativeEnd => {
  const ended = textAt(frame, "terminal_reason")
  if (ended?.startsWith("aborted") === true) return { kind: "aborted" }
  if (frame["subtype"] === "success" && frame["is_error"] !== true) return { kind: "completed" }
  if (frame["subtype"] === "success") return { kind: "failed", failure: modelFailure(frame) }
  const told = textsAt(frame, "errors").filter((text) => !text.startsWith("[ede_diagnostic]"))
  return { kind: "failed", failure: turnFailure("native", told[0] ?? textAt(frame, "subtype") ?? "The program gave no reason") }
}

/** It ended a native Turn that the program began by itself, and that took no input of `inputId`. */
export const isUnasked = (frame: Fields, inputId: string): boolean =>
  textAt(fieldsAt(frame, "origin"), "kind") === "task-notification" && !textsAt(frame, "user_message_uuids").includes(inputId)
