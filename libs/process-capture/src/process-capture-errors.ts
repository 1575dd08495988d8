/** Why captured bytes could not be kept or read. */
import { Schema } from "effect"

/** The file system refused; `code` is the system's (`ENOSPC`, `EIO`, `EACCES`, …). */
export class CaptureFailed extends Schema.TaggedError<CaptureFailed>()("CaptureFailed", {
  operation: Schema.String,
  path: Schema.String,
  code: Schema.String
}) {
  override get message() {
    return `${this.operation} ${this.path}: ${this.code}`
  }
}

/** A page was asked for outside 0 ≤ offset, 1 ≤ limit ≤ 500. Nothing was read. */
export class PageOutOfRange extends Schema.TaggedError<PageOutOfRange>()("PageOutOfRange", {
  field: Schema.Literals(["offset", "limit"]),
  value: Schema.Finite
}) {
  override get message() {
    return `${this.field} ${this.value} is out of range`
  }
}

export class ProcessCaptureError extends Schema.TaggedError<ProcessCaptureError>()("ProcessCaptureError", {
  reason: Schema.Union([CaptureFailed, PageOutOfRange])
}) {
  override get message() {
    return this.reason.message
  }
}
