/**
 * References to a Session's transcript: one opaque format for its newest page, an older page and its export.
 *
 * Owns: the format, base64url of a JSON array of version, kind, Run and Session; an older page adds cutoff and boundary.
 * Limits: only the spelling that this release makes is taken.
 */
import { ConversationId, RunId, Sequence } from "@steno/contracts"
import { Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { closingPlace, inputPlace, type RowOrder } from "./row-order.ts"

const version = 1

/** Null: the place of the closing line, which no number of JSON is. */
const Place = Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(inputPlace)))
const Boundary = Schema.Tuple([Sequence, Place, Sequence])
const Reference = Schema.fromJsonString(Schema.Union([
  Schema.Tuple([Schema.Literal(version), Schema.Literals(["page", "export"]), RunId, ConversationId]),
  Schema.Tuple([Schema.Literal(version), Schema.Literal("page"), RunId, ConversationId, Sequence, Boundary])
]))
const decodeReference = Schema.decodeUnknownResult(Reference)

/** Which Session a reference belongs to. */
export interface TranscriptOwner {
  readonly runId: RunId
  readonly conversationId: ConversationId
}

/** Where a page lies: entries known at `cutoff` that stand before `boundary`. */
export interface TranscriptPlace {
  /** Sequence of the newest event the pages know. */
  readonly cutoff: number
  /** Order of the oldest entry of the page after this one. */
  readonly boundary: RowOrder
}

/** `newest`: the page that fixes a cutoff. */
export type TranscriptCursor = "newest" | TranscriptPlace

/**
 * - `unreadable`: not a text that this release makes
 * - `export-reference`: names an export, not a page
 * - `foreign`: belongs to another Run or Session
 * - `boundary-beyond-cutoff`: begins behind what it may know
 * - `cutoff-ahead`: knows more than is stored
 * - `boundary-unknown`: begins at no entry
 */
export const TranscriptCursorFault = Schema.Literals([
  "unreadable",
  "export-reference",
  "foreign",
  "boundary-beyond-cutoff",
  "cutoff-ahead",
  "boundary-unknown"
])
export type TranscriptCursorFault = typeof TranscriptCursorFault.Type

/** A refusal: no transcript page gave this cursor. A retry cannot help. */
export class TranscriptCursorInvalid
  extends Schema.TaggedError<TranscriptCursorInvalid>()("TranscriptCursorInvalid", { fault: TranscriptCursorFault })
{
  override get message() {
    return `The transcript cursor is refused: ${this.fault}`
  }
}

const encode = (reference: ReadonlyArray<unknown>): string => Base64Url.encode(JSON.stringify(reference))

/** The opaque reference of a snapshot to a Session's newest page or to its export; stable for one Session. */
export const transcriptReference = (kind: "page" | "export", { conversationId, runId }: TranscriptOwner): string =>
  encode([version, kind, runId, conversationId])

/** The cursor of the page before `boundary`. */
export const encodeTranscriptCursor = (owner: TranscriptOwner, { boundary, cutoff }: TranscriptPlace): string =>
  encode([
    version,
    "page",
    owner.runId,
    owner.conversationId,
    cutoff,
    [boundary.turn, boundary.place === closingPlace ? null : boundary.place, boundary.sequence]
  ])

const refuse = (fault: TranscriptCursorFault) => Result.fail(new TranscriptCursorInvalid({ fault }))

/** Takes a cursor of a page, or a snapshot's reference to the newest one, for the Session it belongs to. */
export const decodeTranscriptCursor = (
  text: string,
  owner: TranscriptOwner
): Result.Result<TranscriptCursor, TranscriptCursorInvalid> => {
  const decoded = Result.flatMap(Base64Url.decodeString(text), (json) => decodeReference(json))
  if (Result.isFailure(decoded) || encode(decoded.success) !== text) return refuse("unreadable")
  const [, kind, runId, conversationId, cutoff, boundary] = decoded.success
  if (runId !== owner.runId || conversationId !== owner.conversationId) return refuse("foreign")
  if (kind === "export") return refuse("export-reference")
  if (cutoff === undefined || boundary === undefined) return Result.succeed("newest")
  const [turn, place, sequence] = boundary
  if (turn > cutoff || sequence > cutoff) return refuse("boundary-beyond-cutoff")
  return Result.succeed({ cutoff, boundary: { turn, place: place ?? closingPlace, sequence } })
}
