/**
 * The files of one capture and reading them back.
 *
 * Owns: stdout.txt, stderr.txt, output.txt of a folder, their caps, joins, digests and line pages.
 */
import type { CallReason, CaptureFacts, CaptureFileFacts, CaptureStream, RetainedOutput } from "@steno/contracts"
import { Context, type Effect, Layer, type Stream } from "effect"
import { defaultCaps } from "./capture-caps.ts"
import { makeCaptureFiles } from "./capture-files-layer.ts"
import type { ProcessCaptureError } from "./process-capture-errors.ts"

export interface CapturedFile {
  readonly stream: CaptureStream
  /** `stdout.txt`, `stderr.txt` or `output.txt`, inside the capture's folder. */
  readonly name: string
  readonly digest: string
  readonly sizeBytes: number
  readonly facts: CaptureFileFacts
}

/** What a closed capture left. Empty files are gone; `output` without a file of its own is the only stream's file. */
export interface Captured {
  readonly facts: CaptureFacts
  readonly files: ReadonlyArray<CapturedFile>
  /** File that serves as combined output, absent when nothing was printed. */
  readonly outputFile: string | undefined
  readonly retained: RetainedOutput
  /** `capture-storage-full`, `capture-storage-failed`: what was not kept and why. */
  readonly warnings: ReadonlyArray<CallReason>
}

export interface LinePage {
  readonly totalLines: number
  readonly totalBytes: number
  /** Bytes that came and are missing in the file: what has rotated out so far, or what a closed file's plan says. */
  readonly droppedBytes: number
  readonly offset: number
  readonly endOffset: number
  readonly nextOffset?: number
  readonly complete: boolean
  readonly lines: ReadonlyArray<string>
  readonly truncatedLines: ReadonlyArray<{ readonly line: number; readonly bytes: number }>
  /** Path of the file read; absent when no file exists (nothing was printed). */
  readonly path?: string
}

export interface PageRequest {
  /** Absolute folder of the capture. */
  readonly directory: string
  readonly stream: CaptureStream
  /** 0-based line; absent: the last `limit` lines. */
  readonly offset?: number
  /** 1 … 500, default 100. */
  readonly limit?: number
  /** The capture is closed. */
  readonly closed: boolean
  /** Digest and size to verify before the first byte is served, once per opened file; absent while it grows. */
  readonly expected?: { readonly digest: string; readonly sizeBytes: number }
}

/** `closed` is so for a file that is verified; where it is not said otherwise, an unverified one may still grow. */
export type BytesRequest = Pick<PageRequest, "directory" | "stream" | "expected"> & Partial<Pick<PageRequest, "closed">>

export class CaptureFiles extends Context.Service<CaptureFiles, {
  /** Joins and closes what a dead owner left open in a folder; its retained output is marked incomplete. A folder without files yields zero facts. */
  readonly recover: (directory: string) => Effect.Effect<Captured, ProcessCaptureError>
  /** Facts as they are now, without closing or writing anything (read-only homes, a capture live elsewhere). */
  readonly inspect: (directory: string) => Effect.Effect<Captured, ProcessCaptureError>
  readonly page: (request: PageRequest) => Effect.Effect<LinePage, ProcessCaptureError>
  /** The stored bytes of a stream; empty when the file does not exist. */
  readonly bytes: (request: BytesRequest) => Stream.Stream<Uint8Array, ProcessCaptureError>
}>()("@steno/process-capture/CaptureFiles") {
  static readonly layer = Layer.effect(CaptureFiles, makeCaptureFiles(defaultCaps))
}
