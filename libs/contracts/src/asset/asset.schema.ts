/**
 * Managed files: who owns one, where it lies, its digest and size.
 *
 * Owns: the facts of a file as they are stored.
 * Never owns: reading or writing the file (process-capture, asset-store).
 */
import { Schema } from "effect"
import { AssetId, CallId } from "../ids/ids.schema.ts"
import { ByteCount, LineCount } from "../units.ts"

/**
 * Facts of one captured file. Totals are those observed; line numbers and offsets are those of the stored file.
 * `storedBytes` may exceed `observedBytes − droppedBytes` in output.txt only: its gap marker and added newlines count there.
 */
export const CaptureFileFacts = Schema.Struct({
  observedBytes: ByteCount,
  storedBytes: ByteCount,
  droppedBytes: ByteCount,
  observedLines: LineCount,
  storedLines: LineCount,
  /** Byte offset in the stored file where bytes are missing; present when `droppedBytes` > 0. */
  gapOffset: Schema.optionalKey(ByteCount),
  /** 0-based line of the stored file that holds `gapOffset`; present when `droppedBytes` > 0. */
  gapLine: Schema.optionalKey(LineCount)
})
export type CaptureFileFacts = typeof CaptureFileFacts.Type

export const CaptureStream = Schema.Literals(["output", "stdout", "stderr"])
export type CaptureStream = typeof CaptureStream.Type

/** What was captured of a call, per stream; `output` is both streams in order of arrival. */
export const CaptureFacts = Schema.Struct({
  stdout: CaptureFileFacts,
  stderr: CaptureFileFacts,
  output: CaptureFileFacts
})
export type CaptureFacts = typeof CaptureFacts.Type

/** SHA-256 of the whole file: `sha256:` and 64 lower-case hexadecimal digits. */
export const Digest = Schema.String.check(Schema.isPattern(/^sha256:[0-9a-f]{64}$/))

export const Asset = Schema.Struct({
  assetId: AssetId,
  /** The call that owns the file. */
  callId: CallId,
  category: Schema.Literals(["output", "payload", "report", "image"]),
  /** Relative to the home, with `/`. */
  path: Schema.String,
  digest: Digest,
  sizeBytes: ByteCount,
  /** Which stream a captured file holds; absent for other categories. */
  stream: Schema.optionalKey(CaptureStream),
  capture: Schema.optionalKey(CaptureFileFacts)
})
export type Asset = typeof Asset.Type

/** Names a managed image; never holds its bytes. */
export const ImageReference = Schema.Struct({
  assetId: AssetId,
  /** As in `image/png`. */
  mediaType: Schema.String.check(Schema.isPattern(/^image\/[a-z0-9.+-]+$/)),
  sizeBytes: Schema.optionalKey(ByteCount)
})
export type ImageReference = typeof ImageReference.Type
