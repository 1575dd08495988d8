/** Why a process did not start. */
import { Schema } from "effect"

/** Nothing was started. `code` is the system's (`ENOENT`, `EACCES`, `EAGAIN`, …). */
export class CouldNotStart extends Schema.TaggedError<CouldNotStart>()("CouldNotStart", {
  path: Schema.String,
  code: Schema.String,
  explanation: Schema.String
}) {
  override get message() {
    return this.explanation
  }
}

export class ProcessHostError extends Schema.TaggedError<ProcessHostError>()("ProcessHostError", {
  reason: Schema.Union([CouldNotStart])
}) {
  override get message() {
    return this.reason.message
  }
}
