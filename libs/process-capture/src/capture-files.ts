/**
 * The files of one capture and reading them back.
 *
 * Owns: stdout.txt, stderr.txt, output.txt of a folder, their caps, joins, digests and line pages.
 * Never owns: whether a stored file is the recorded one (asset-store).
 */
import type { CallReason, CaptureFacts, CaptureFileFacts, CaptureStream, RetainedOutput } from "@steno/contracts"
import { Context, type Effect, Layer, type Stream } from "effect"
import type { UnstoredEnd } from "./capture-account.ts"
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
  /** The end of the output that a fault of the disk kept from that file; absent when it has all that is left. */
  readonly unstored?: UnstoredEnd
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
  /** The capture is closed; else it may still grow. */
  readonly closed: boolean
}

/** A stored file that whoever owns it has opened and verified; `E`: how reading it fails. */
export interface VerifiedFile<E> {
  /** Absolute. */
  readonly path: string
  readonly sizeBytes: number
  /** The same as long as the bytes are: lines are counted once. */
  readonly identity: string
  /** Fills the block from a position on; fewer only at the end. */
  readonly read: (block: Uint8Array, position: number) => Effect.Effect<number, E>
}

export interface VerifiedPageRequest extends Pick<PageRequest, "offset" | "limit"> {
  /** What its record says is missing in the file. */
  readonly droppedBytes: number
}

export class CaptureFiles extends Context.Service<CaptureFiles, {
  /** Joins and closes what a dead owner left open in a folder; its retained output is marked incomplete. A folder without files yields zero facts. */
  readonly recover: (directory: string) => Effect.Effect<Captured, ProcessCaptureError>
  /** Facts as they are now, without closing or writing anything (read-only homes, a capture live elsewhere). */
  readonly inspect: (directory: string) => Effect.Effect<Captured, ProcessCaptureError>
  /** A page of what lies in a folder, unverified. */
  readonly page: (request: PageRequest) => Effect.Effect<LinePage, ProcessCaptureError>
  /** A page of a verified file. */
  readonly pageOf: <E>(file: VerifiedFile<E>, request: VerifiedPageRequest) => Effect.Effect<LinePage, ProcessCaptureError | E>
  /** The stored bytes of a stream, unverified; empty when the file does not exist. */
  readonly bytes: (request: Pick<PageRequest, "directory" | "stream" | "closed">) => Stream.Stream<Uint8Array, ProcessCaptureError>
}>()("@steno/process-capture/CaptureFiles") {
  static readonly layer = Layer.effect(CaptureFiles, makeCaptureFiles(defaultCaps))
}
