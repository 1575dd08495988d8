/**
 * A capture fed by two pipes.
 *
 * Owns: reading the pipes, pausing them while the disk is behind, knowing when both have ended.
 * Limits: what waits to be written stays near `waitingBytes` per stream; a slow disk slows the child through its pipe.
 */
import { Deferred, Effect } from "effect"
import type { Readable } from "node:stream"
import type { BoundedFile } from "./bounded-file.ts"
import { Capture } from "./capture.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { closeCapture } from "./capture-close.ts"
import type { Captured } from "./capture-files.ts"
import { type AddedNewlines, noneAdded } from "./capture-plan.ts"
import type { GrownFile } from "./grown-file.ts"
import type { Source } from "./line-assembler.ts"
import type { MemoryTail } from "./memory-tail.ts"
import type { OutputPulse } from "./output-pulse.ts"
import type { CaptureFailed } from "./process-capture-errors.ts"

/** Who is told of every chunk. */
export interface OutputListeners {
  readonly pulse?: OutputPulse
  readonly tail?: MemoryTail
}

const grownOf = (
  file: BoundedFile,
  stream: GrownFile["stream"],
  observed: { readonly bytes: number; readonly lines: number },
  added: AddedNewlines
): GrownFile => ({
  stream,
  name: file.name,
  files: file.grown,
  observedBytes: observed.bytes,
  observedLines: observed.lines,
  added,
  fault: file.fault,
  lost: file.lost === undefined ? undefined : { total: file.lost.total, bytes: file.lost.bytes() }
})

export class LiveCapture {
  readonly #capture: Capture
  readonly #caps: CaptureCaps
  readonly #pipes = new Map<Source, Readable>()
  readonly #drained = Deferred.makeUnsafe<void>()
  #open = 0

  readonly #listeners: OutputListeners

  private constructor(directory: string, caps: CaptureCaps, listeners: OutputListeners) {
    this.#caps = caps
    this.#listeners = listeners
    this.#capture = new Capture(directory, caps, () => this.#resume())
  }

  /** Creates the files, or says why not; nothing is left then. */
  static open(directory: string, caps: CaptureCaps, listeners: OutputListeners = {}): LiveCapture | CaptureFailed {
    const live = new LiveCapture(directory, caps, listeners)
    return live.#capture.open() ?? live
  }

  /** Resolves when both pipes reached their end. */
  get drained(): Effect.Effect<void> {
    return Deferred.await(this.#drained)
  }

  get isDrained(): boolean {
    return Deferred.isDoneUnsafe(this.#drained)
  }

  /** A pipe waits for the disk. */
  get isPaused(): boolean {
    return [...this.#pipes.values()].some((pipe) => pipe.isPaused())
  }

  get onDisk(): number {
    return this.#capture.onDisk
  }

  read(source: Source, pipe: Readable): void {
    this.#pipes.set(source, pipe)
    this.#open += 1
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      this.#pipes.delete(source)
      this.#capture.end(source)
      this.#open -= 1
      if (this.#open === 0) Deferred.doneUnsafe(this.#drained, Effect.void)
    }
    pipe.on("data", (chunk: Uint8Array) => {
      this.#capture.push(source, chunk)
      this.#listeners.pulse?.push(source, chunk)
      this.#listeners.tail?.push(chunk)
      if (this.#capture.isFull(source)) pipe.pause()
    })
    pipe.once("end", end)
    pipe.once("error", end)
    pipe.once("close", end)
  }

  /** Takes nothing more; everything is on disk, or named as lost, when this resolves. */
  get close(): Effect.Effect<Captured> {
    return Effect.callback<void>((resume) => this.#capture.finish(() => resume(Effect.void))).pipe(
      Effect.andThen(Effect.suspend(() => closeCapture(this.#capture.directory, this.#grown(), this.#caps, false)))
    )
  }

  #resume(): void {
    for (const [source, pipe] of this.#pipes) if (pipe.isPaused() && !this.#capture.isFull(source)) pipe.resume()
  }

  #grown(): ReadonlyArray<GrownFile> {
    const { output, streams, added } = this.#capture
    const lines = (source: Source) => streams[source].lineFeeds + (streams[source].endsLine ? 0 : 1)
    const bytes = (source: Source) => streams[source].observedBytes
    const grown = (["stdout", "stderr"] as const).map((source) =>
      grownOf(streams[source].file, source, { bytes: bytes(source), lines: lines(source) }, noneAdded)
    )
    if (output === undefined) return grown
    const both = { bytes: bytes("stdout") + bytes("stderr"), lines: lines("stdout") + lines("stderr") }
    return [...grown, grownOf(output, "output", both, added)]
  }
}
