/**
 * Why a tool did not do what it was asked.
 *
 * Refusals: a rule said no and nothing was changed. Failures (`FileSystemFault`, `SearchFailed`): the machine did; nothing was
 * changed either. `retry` tells whether the same call can succeed later.
 * Limits: a message names paths, counts and what was expected, never the text a model submitted or a file holds.
 */
import { Schema } from "effect"

const quoted = (path: string): string => JSON.stringify(path.toWellFormed())

export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  tool: Schema.String,
  /** One line per fault: where, and what was expected there. */
  expected: Schema.Array(Schema.String)
}) {
  readonly code = "invalid-arguments"
  override get message() {
    return `The arguments of ${this.tool} do not fit. ${this.expected.join("; ")}`
  }
}

export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  tool: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  readonly code = "unknown-tool"
  override get message() {
    return `There is no tool ${quoted(this.tool)}. Known: ${this.known.join(", ")}`
  }
}

export class PathNotFound extends Schema.TaggedError<PathNotFound>()("PathNotFound", {
  path: Schema.String,
  /** Names that stand where it was looked for and are spelt alike. */
  near: Schema.Array(Schema.String)
}) {
  readonly code = "path-not-found"
  override get message() {
    const near = this.near.length === 0 ? "" : `; close to it: ${this.near.map(quoted).join(", ")}`
    return `${quoted(this.path)} does not exist${near}`
  }
}

export class WrongKind extends Schema.TaggedError<WrongKind>()("WrongKind", {
  path: Schema.String,
  /** As in `a folder`. */
  found: Schema.String,
  advice: Schema.String
}) {
  readonly code = "wrong-kind"
  override get message() {
    return `${quoted(this.path)} is ${this.found}; ${this.advice}`
  }
}

export class NotText extends Schema.TaggedError<NotText>()("NotText", {
  path: Schema.String,
  /** As in `a PDF document`. */
  found: Schema.String,
  sizeBytes: Schema.Int
}) {
  readonly code = "not-text"
  override get message() {
    return `${quoted(this.path)} is ${this.found} of ${this.sizeBytes} bytes, not text; look at it with a command made for it`
  }
}

/** The file is as it was; its present content was not seen by this Session. */
export class ChangedMeanwhile extends Schema.TaggedError<ChangedMeanwhile>()("ChangedMeanwhile", {
  path: Schema.String,
  how: Schema.Literals(["content", "removed", "appeared", "during"])
}) {
  readonly code = "changed-meanwhile"
  override get message() {
    const how = {
      content: "changed after it was last read or written here",
      removed: "was removed after it was last read or written here",
      appeared: "appeared while it was to be created",
      during: "changed while this call worked on it"
    }[this.how]
    return `${quoted(this.path)} ${how}; nothing was written. Read it again first`
  }
}

/** The path led elsewhere when the call was judged; nothing was touched. */
export class PathMoved extends Schema.TaggedError<PathMoved>()("PathMoved", { path: Schema.String, leadsTo: Schema.String }) {
  readonly code = "path-moved"
  override get message() {
    return `${quoted(this.path)} now leads to ${quoted(this.leadsTo)}, which is not what was judged; nothing was touched`
  }
}

/** Nothing was written. */
export class EditDoesNotFit extends Schema.TaggedError<EditDoesNotFit>()("EditDoesNotFit", {
  path: Schema.String,
  /** Which edit, from 1, and of how many. */
  edit: Schema.Int,
  edits: Schema.Int,
  /** How often oldText stands in the text as the earlier edits left it; 1: it fits, but changes nothing. */
  matches: Schema.Int,
  /** 1-based lines of the first of them. */
  lines: Schema.Array(Schema.Int)
}) {
  readonly code = "edit-does-not-fit"
  override get message() {
    const what = this.matches === 0
      ? "oldText does not stand in the file; read the place again, spaces and indentation count"
      : this.matches === 1
      ? "newText is oldText, so nothing would change"
      : `oldText stands there ${this.matches} times, in lines ${this.lines.join(", ")}${
        this.lines.length < this.matches ? ", …" : ""
      }; take more of the lines around the right one`
    return `Edit ${this.edit} of ${this.edits} does not fit ${quoted(this.path)}: ${what}. Nothing was written`
  }
}

export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", {
  path: Schema.String,
  sizeBytes: Schema.Int,
  limitBytes: Schema.Int,
  advice: Schema.String
}) {
  readonly code = "too-large"
  override get message() {
    return `${quoted(this.path)} has ${this.sizeBytes} bytes, more than the ${this.limitBytes} this tool takes; ${this.advice}`
  }
}

/** A pattern that the search does not understand, in its own words. Nothing was searched. */
export class PatternRefused extends Schema.TaggedError<PatternRefused>()("PatternRefused", { explanation: Schema.String }) {
  readonly code = "pattern-refused"
  override get message() {
    return this.explanation
  }
}

export class SearchFailed extends Schema.TaggedError<SearchFailed>()("SearchFailed", { explanation: Schema.String }) {
  readonly code = "search-failed"
  override get message() {
    return `The search did not come to an end: ${this.explanation}`
  }
}

export class ImageNotShown extends Schema.TaggedError<ImageNotShown>()("ImageNotShown", {
  path: Schema.String,
  explanation: Schema.String
}) {
  readonly code = "image-not-shown"
  override get message() {
    return `${quoted(this.path)} could not be shown: ${this.explanation}`
  }
}

const errnoWords: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  ENOSPC: "no space left on the device",
  EDQUOT: "the quota is used up",
  EROFS: "the file system is read-only",
  ELOOP: "too many links",
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "a part of the path is no folder",
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EIO: "the device reported an error",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open"
}

const passing: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EIO"])

/** The system refused an operation. What was to be written is as it was before. */
export class FileSystemFault extends Schema.TaggedError<FileSystemFault>()("FileSystemFault", {
  /** As in `read`. */
  operation: Schema.String,
  path: Schema.String,
  /** As in `EACCES`. */
  errno: Schema.String
}) {
  get code() {
    return this.errno === "EACCES" || this.errno === "EPERM"
      ? "permission-denied"
      : this.errno === "ENOSPC" || this.errno === "EDQUOT"
      ? "storage-full"
      : "file-system"
  }
  override get message() {
    return `${quoted(this.path)}: could not ${this.operation}: ${errnoWords[this.errno] ?? this.errno}`
  }
}

const ToolFaultReason = Schema.Union([
  InvalidArguments,
  UnknownTool,
  PathNotFound,
  WrongKind,
  NotText,
  ChangedMeanwhile,
  PathMoved,
  EditDoesNotFit,
  TooLarge,
  PatternRefused,
  SearchFailed,
  ImageNotShown,
  FileSystemFault
])
export type ToolFaultReason = typeof ToolFaultReason.Type

export class ToolFault extends Schema.TaggedError<ToolFault>()("ToolFault", { reason: ToolFaultReason }) {
  override get message() {
    return this.reason.message
  }
  /** For the record of the call. */
  get code(): string {
    return this.reason.code
  }
  /** The same call may succeed later without anybody changing it. */
  get retry(): boolean {
    return this.reason._tag === "SearchFailed" || (this.reason._tag === "FileSystemFault" && passing.has(this.reason.errno))
  }
}

const codes: Readonly<Record<ToolFaultReason["code"], true>> = {
  "invalid-arguments": true,
  "unknown-tool": true,
  "path-not-found": true,
  "wrong-kind": true,
  "not-text": true,
  "changed-meanwhile": true,
  "path-moved": true,
  "edit-does-not-fit": true,
  "too-large": true,
  "pattern-refused": true,
  "search-failed": true,
  "image-not-shown": true,
  "permission-denied": true,
  "storage-full": true,
  "file-system": true
}

/** Whether a call that failed for a reason of this code left everything as it was, as every fault of a tool does. */
export const leavesAllAsItWas = (code: string): boolean => Object.hasOwn(codes, code)

export const faultOf = (reason: ToolFaultReason): ToolFault => new ToolFault({ reason })
