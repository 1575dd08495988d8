/**
 * What the frame `result` says of a native Turn's end.
 *
 * Owns: when it completed, failed or was broken off, and why.
 * Limits: the text that the frame repeats is text of the Turn and is not told; of a model error it is the provider's reason.
 */
import { type TurnFailure, turnFailure } from "@steno/harness-seam"
import { type Fields, fieldsAt, textAt, textsAt } from "./frame-fields.ts"

export type NativeEnd =
  | { readonly kind: "completed" }
  /** An interrupt, ours or the program's own. */
  | { readonly kind: "aborted" }
  | { readonly kind: "failed"; readonly failure: TurnFailure }

const unauthorizedStatuses: ReadonlySet<unknown> = new Set([401, 403])
const unauthorizedErrors: ReadonlySet<unknown> = new Set(["authentication_failed", "oauth_org_not_allowed", "cloud_credential_error"])

const failureReason = (frame: Fields, modelError: string | undefined): TurnFailure["reason"] => {
  if (frame["terminal_reason"] === "prompt_too_long") return "context"
  return unauthorizedStatuses.has(frame["api_error_status"]) || unauthorizedErrors.has(modelError) ? "auth" : "native"
}

/** @param modelError of the frame before it that told of an error of the model, its kind */
export const nativeEnd = (frame: Fields, modelError?: string): NativeEnd => {
  const ended = textAt(frame, "terminal_reason")
  if (ended?.startsWith("aborted") === true) return { kind: "aborted" }
  if (frame["subtype"] === "success" && frame["is_error"] !== true) return { kind: "completed" }
  if (frame["subtype"] === "success") {
    const said = textAt(frame, "result") ?? "The model could not be asked"
    return { kind: "failed", failure: turnFailure(failureReason(frame, modelError), said) }
  }
  const told = textsAt(frame, "errors").filter((text) => !text.startsWith("[ede_diagnostic]"))
  return { kind: "failed", failure: turnFailure("native", told[0] ?? textAt(frame, "subtype") ?? "The program gave no reason") }
}

/** It ended a native Turn that the program began by itself, and that took no input of `inputId`. */
export const isUnasked = (frame: Fields, inputId: string): boolean =>
  textAt(fieldsAt(frame, "origin"), "kind") === "task-notification" && !textsAt(frame, "user_message_uuids").includes(inputId)
