/**
 * Keeps the output of a command that somebody else runs and tells of.
 *
 * Owns: output.txt of such a command, under the caps of every capture.
 * Never owns: what the text says of its own omissions (whoever supplies it).
 * Ordering: text is kept in the order in which it was given; what is given anew takes the place of all before it.
 * Limits: a fault of the disk loses bytes, never the command: it is told when the output is closed. What the disk has not taken yet
 * waits in memory, however much it is: who supplies it cannot be held up.
 */
import { Context, Effect, Layer } from "effect"
import { Buffer } from "node:buffer"
import { BoundedFile } from "./bounded-file.ts"
import { type CaptureCaps, defaultCaps } from "./capture-caps.ts"
import { closeCapture } from "./capture-close.ts"
import type { Captured } from "./capture-files.ts"
import { removeSegments } from "./capture-join.ts"
import { fileName } from "./capture-names.ts"
import { noneAdded } from "./capture-plan.ts"
import { closeFile, removeFile } from "./file-io.ts"
import { countLineFeeds } from "./line-feeds.ts"
import { ProcessCaptureError } from "./process-capture-errors.ts"
import { captureFailed } from "./storage-fault.ts"

/** One at a time: each of these ends before the next begins. */
export interface SuppliedOutput {
  /** Takes text that was added. */
  readonly append: (text: string) => void
  /** All that came before gives way to `text`. */
  readonly replace: (text: string) => Effect.Effect<void>
  /** Everything is on disk, or named as lost, when this resolves; nothing is taken any more. */
  readonly close: Effect.Effect<Captured>
}

const lineFeed = 0x0a

class SuppliedFile {
  readonly #directory: string
  readonly #caps: CaptureCaps
  #file: BoundedFile
  #observedBytes = 0
  #lineFeeds = 0
  #endsLine = true

  private constructor(directory: string, caps: CaptureCaps) {
    this.#directory = directory
    this.#caps = caps
    this.#file = this.#newFile()
  }

  static open(directory: string, caps: CaptureCaps): Effect.Effect<SuppliedFile, ProcessCaptureError> {
    return Effect.suspend(() => {
      const supplied = new SuppliedFile(directory, caps)
      return Effect.as(supplied.#create, supplied)
    })
  }

  append(text: string): void {
    const bytes = Buffer.from(text.toWellFormed(), "utf8")
    const lineFeeds = countLineFeeds(bytes)
    this.#observedBytes += bytes.length
    this.#lineFeeds += lineFeeds
    if (bytes.length > 0) this.#endsLine = bytes[bytes.length - 1] === lineFeed
    this.#file.append(bytes, lineFeeds)
  }

  replace(text: string): Effect.Effect<void> {
    return Effect.andThen(this.#begin, Effect.sync(() => this.append(text)))
  }

  get close(): Effect.Effect<Captured> {
    return Effect.andThen(this.#finish, Effect.suspend(() => {
      const { fault, grown, lost } = this.#file
      return closeCapture(this.#directory, [{
        stream: "output",
        name: fileName("output"),
        files: grown,
        observedBytes: this.#observedBytes,
        observedLines: this.#lineFeeds + (this.#endsLine ? 0 : 1),
        added: noneAdded,
        fault,
        lost: lost === undefined ? undefined : { total: lost.total, bytes: lost.bytes() }
      }], this.#caps, false)
    }))
  }

  get #finish(): Effect.Effect<void> {
    return Effect.callback((resume) => this.#file.finish(() => resume(Effect.void)))
  }

  get #create(): Effect.Effect<void, ProcessCaptureError> {
    return Effect.try({
      try: () => this.#file.create(),
      catch: (cause) => new ProcessCaptureError({ reason: captureFailed("create", this.#file.path, cause) })
    })
  }

  /** What was kept goes; a file that cannot be made again keeps what comes in memory. */
  get #begin(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      yield* this.#finish
      const { grown, path } = this.#file
      if (grown !== undefined) {
        yield* closeFile(grown.head)
        yield* removeSegments(grown)
        yield* Effect.ignore(removeFile(path))
      }
      this.#observedBytes = 0
      this.#lineFeeds = 0
      this.#endsLine = true
      this.#file = this.#newFile()
      yield* Effect.catch(this.#create, ({ reason }) =>
        Effect.sync(() => {
          if (reason._tag === "CaptureFailed") this.#file.fail(reason)
        }))
    })
  }

  #newFile(): BoundedFile {
    return new BoundedFile(this.#directory, fileName("output"), this.#caps)
  }
}

export const makeSuppliedOutputs = (caps: CaptureCaps) => ({
  open: Effect.fn("SuppliedOutputs.open")(function*(directory: string) {
    const file = yield* SuppliedFile.open(directory, caps)
    return {
      append: (text) => file.append(text),
      replace: (text) => file.replace(text),
      close: file.close
    } satisfies SuppliedOutput
  })
})

export class SuppliedOutputs extends Context.Service<SuppliedOutputs, {
  /** The folder must exist and hold no output.txt. Fails when the file cannot be made; nothing is left then. */
  readonly open: (directory: string) => Effect.Effect<SuppliedOutput, ProcessCaptureError>
}>()("@steno/process-capture/SuppliedOutputs") {
  static readonly layer = Layer.succeed(SuppliedOutputs, makeSuppliedOutputs(defaultCaps))
}
