/**
 * Why a managed file could not be written, read, counted or removed.
 *
 * Refusals (`InvalidName`, `SymlinkOnTheWay`, `NotRegular`, `OpenToOthers`, `AlreadyExists`, `NotFound`, `ForeignOwner`,
 * `RangeInvalid`, `NotAnImage`, `ImageTooLarge`): a rule said no; no file was made, changed or removed, no byte was served.
 * Failures (`DigestMismatch`, `Storage*`): each says below what may have happened.
 */
import { Schema } from "effect"

/** A name, owner id or path breaks a rule of managed paths. Nothing was touched; a retry cannot help. */
export class InvalidName extends Schema.TaggedError<InvalidName>()("InvalidName", {
  /** At most the first 200 characters of what was given. */
  name: Schema.String,
  rule: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.name)} is no managed name: ${this.rule}`
  }
}

/** A link stands where a real folder or file must be. It was not followed; nothing was written or read. */
export class SymlinkOnTheWay extends Schema.TaggedError<SymlinkOnTheWay>()("SymlinkOnTheWay", { path: Schema.String }) {
  override get message() {
    return `${this.path} is a link, or was replaced while it was used; links in the data folder are not followed`
  }
}

/** Something else than a regular file, or than a folder where one must be. Nothing was written or read. */
export class NotRegular extends Schema.TaggedError<NotRegular>()("NotRegular", { path: Schema.String }) {
  override get message() {
    return `${this.path} is not of the kind it must be: regular files in real folders`
  }
}

/** Other users could reach the data folder. Its mode was left alone; nothing was written or read. */
export class OpenToOthers extends Schema.TaggedError<OpenToOthers>()("OpenToOthers", {
  path: Schema.String,
  /** Permission bits in octal, e.g. `755`. */
  mode: Schema.String
}) {
  override get message() {
    return `${this.path} is open to other users (mode ${this.mode}); close it with chmod 700`
  }
}

/** The name is taken. The existing file is as it was; a retry cannot help. */
export class AlreadyExists extends Schema.TaggedError<AlreadyExists>()("AlreadyExists", { path: Schema.String }) {
  override get message() {
    return `${this.path} exists and is never written again`
  }
}

/** No such file. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { path: Schema.String }) {
  override get message() {
    return `${this.path} does not exist`
  }
}

/** The path lies outside the folder of the owner it was asked for. The file was not opened. */
export class ForeignOwner extends Schema.TaggedError<ForeignOwner>()("ForeignOwner", {
  path: Schema.String,
  /** Folder of the owner, relative to the home. */
  folder: Schema.String
}) {
  override get message() {
    return `${this.path} does not belong to ${this.folder}`
  }
}

/** A range that is not inside the file. Nothing was served. */
export class RangeInvalid extends Schema.TaggedError<RangeInvalid>()("RangeInvalid", {
  path: Schema.String,
  offset: Schema.Number,
  length: Schema.Number,
  sizeBytes: Schema.Finite
}) {
  override get message() {
    return `${this.path} has ${this.sizeBytes} bytes; ${this.length} from ${this.offset} is no range of it`
  }
}

/** The bytes are no image, whatever was declared. Nothing was written. */
export class NotAnImage extends Schema.TaggedError<NotAnImage>()("NotAnImage", { rule: Schema.String }) {
  override get message() {
    return `This is no image: ${this.rule}`
  }
}

/** An image above a limit. Nothing was written. */
export class ImageTooLarge extends Schema.TaggedError<ImageTooLarge>()("ImageTooLarge", {
  measure: Schema.Literals(["bytes", "pixels"]),
  found: Schema.Finite,
  limit: Schema.Finite
}) {
  override get message() {
    return `The image has ${this.found} ${this.measure}; at most ${this.limit} are kept`
  }
}

/**
 * The file is not the one that was recorded. Before the first byte nothing was served; a file changed while it is read
 * fails the stream, and every byte served until then was of the recorded file. A retry cannot help.
 */
export class DigestMismatch extends Schema.TaggedError<DigestMismatch>()("DigestMismatch", {
  path: Schema.String,
  difference: Schema.Literals(["length", "digest", "changed-while-open"])
}) {
  override get message() {
    return `${this.path} is not the file that was recorded (${this.difference})`
  }
}

/**
 * The file system, or its owner's quota, has no space. A write left nothing behind; a retry helps once there is space.
 * `path` is absolute.
 */
export class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", {
  operation: Schema.String,
  path: Schema.String,
  /** `ENOSPC` or `EDQUOT`. */
  code: Schema.String
}) {
  override get message() {
    return `${this.operation}: no space left for ${this.path} (${this.code})`
  }
}

/**
 * Anything else the system said. A write left no file under its name, its temporary one is removed or swept later;
 * a removal may be partial and goes on when it is repeated. A retry may help. `path` is absolute.
 */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  operation: Schema.String,
  path: Schema.String,
  /** The system's code: `EIO`, `EACCES`, `EROFS`, … */
  code: Schema.String
}) {
  override get message() {
    return `${this.operation}: ${this.code} on ${this.path}`
  }
}

export const AssetStoreReason = Schema.Union([
  InvalidName,
  SymlinkOnTheWay,
  NotRegular,
  OpenToOthers,
  AlreadyExists,
  NotFound,
  ForeignOwner,
  RangeInvalid,
  NotAnImage,
  ImageTooLarge,
  DigestMismatch,
  StorageFull,
  StorageFailed
])
export type AssetStoreReason = typeof AssetStoreReason.Type

export class AssetStoreError extends Schema.TaggedError<AssetStoreError>()("AssetStoreError", { reason: AssetStoreReason }) {
  override get message() {
    return this.reason.message
  }

  /** Whether the same request may succeed later: space or the device may come back. */
  get isRetryable() {
    return this.reason._tag === "StorageFull" || this.reason._tag === "StorageFailed"
  }
}
