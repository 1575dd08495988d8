/**
 * Why a native Turn failed, in the Seam's words.
 *
 * Owns: which of Codex's own kinds of errors mean a login or a full context; all others are native.
 */
import type { TurnFailureReason } from "@steno/harness-seam"
import { Schema } from "effect"

const isRefusedLogin = Schema.is(Schema.Struct({ httpStatusCode: Schema.Literal(401) }))

/** @param info a word, or an object with one word that holds the details */
export const failureReason = (info: unknown): TurnFailureReason => {
  if (info === "unauthorized") return "auth"
  if (info === "contextWindowExceeded") return "context"
  return typeof info === "object" && info !== null && Object.values(info).some(isRefusedLogin) ? "auth" : "native"
}
