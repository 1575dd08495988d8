/**
 * Takes the bytes of two streams into three bounded files.
 *
 * Owns: when output.txt begins, line assembly by time, counts, how much may wait to be written.
 * Never owns: where the bytes come from, joining and digests (capture-close).
 * Ordering: both stream files exist before the first byte; output.txt from the second stream's first byte on.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { BoundedFile } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { cloneKept, keptInMemory } from "./capture-clone.ts"
import type { AddedNewlines } from "./capture-plan.ts"
import { fileName } from "./capture-names.ts"
import { type Emission, LineAssembler, type Source } from "./line-assembler.ts"
import { countLineFeeds } from "./line-feeds.ts"
import type { CaptureFailed } from "./process-capture-errors.ts"
import { captureFailed, codeOf, type StorageFault } from "./storage-fault.ts"

interface Intake {
  readonly file: BoundedFile
  observedBytes: number
  lineFeeds: number
  endsLine: boolean
  lastAt: number
}

const lineFeed = 0x0a
const newline = new Uint8Array([lineFeed])
const other = (source: Source): Source => source === "stdout" ? "stderr" : "stdout"
/** Added newlines between head and tail are forgotten once there are this many. */
const addedKept = 16_384

export class Capture {
  readonly directory: string
  readonly caps: CaptureCaps
  readonly streams: Readonly<Record<Source, Intake>>
  readonly #assembler: LineAssembler
  readonly #onRoom: () => void
  #output: BoundedFile | undefined
  #outputBytes = 0
  #added: Array<number> = []
  #addedForgotten = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `onRoom` is called when waiting bytes became fewer. */
  constructor(directory: string, caps: CaptureCaps, onRoom: () => void) {
    this.directory = directory
    this.caps = caps
    this.#onRoom = onRoom
    this.#assembler = new LineAssembler(caps.partialLineBytes)
    const intake = (source: Source): Intake => ({
      file: new BoundedFile(directory, fileName(source), caps, onRoom),
      observedBytes: 0,
      lineFeeds: 0,
      endsLine: true,
      lastAt: 0
    })
    this.streams = { stdout: intake("stdout"), stderr: intake("stderr") }
  }

  /** Present from the second stream's first byte on. */
  get output(): BoundedFile | undefined {
    return this.#output
  }

  /** Bytes that all files hold on disk now. */
  get onDisk(): number {
    return this.streams.stdout.file.onDisk + this.streams.stderr.file.onDisk + (this.#output?.onDisk ?? 0)
  }

  /** Newlines added to output.txt: where, and how many more in its middle. */
  get added(): AddedNewlines {
    return { positions: this.#added, forgotten: this.#addedForgotten }
  }

  /** Creates the files; nothing is left when one cannot be created. */
  open(): CaptureFailed | undefined {
    const output = join(this.directory, fileName("output"))
    if (existsSync(output)) return captureFailed("create", output, Object.assign(new Error(), { code: "EEXIST" }))
    const made: Array<BoundedFile> = []
    for (const { file } of [this.streams.stdout, this.streams.stderr]) {
      try {
        file.create()
        made.push(file)
      } catch (cause) {
        for (const earlier of made) earlier.discard()
        return captureFailed("create", file.path, cause)
      }
    }
    return undefined
  }

  /** The source should pause: its bytes come faster than they are written. */
  isFull(source: Source): boolean {
    return Math.max(this.streams[source].file.waiting, this.#output?.waiting ?? 0) > this.caps.waitingBytes
  }

  /** Bytes after `finish` are dropped. The capture keeps `chunk` until it is written. */
  push(source: Source, chunk: Uint8Array): void {
    if (this.#closed || chunk.length === 0) return
    const intake = this.streams[source]
    const now = performance.now()
    if (this.#output === undefined && this.streams[other(source)].observedBytes > 0) this.#beginOutput(other(source), now)
    const lineFeeds = countLineFeeds(chunk)
    intake.observedBytes += chunk.length
    intake.lineFeeds += lineFeeds
    intake.endsLine = chunk[chunk.length - 1] === lineFeed
    intake.lastAt = now
    intake.file.append(chunk, lineFeeds)
    this.#emit(this.#assembler.push(source, chunk, lineFeeds))
    this.#watchPartialLines()
  }

  /** The stream has ended: its partial line goes out. */
  end(source: Source): void {
    if (!this.#closed) this.#emit(this.#assembler.flush(source))
  }

  /** Takes nothing more and calls back when everything taken is written or lost to a fault. */
  finish(done: () => void): void {
    this.end("stdout")
    this.end("stderr")
    this.#closed = true
    clearTimeout(this.#timer)
    const files = [this.streams.stdout.file, this.streams.stderr.file]
    if (this.#output !== undefined) files.push(this.#output)
    let open = files.length
    for (const file of files) {
      file.finish(() => {
        open -= 1
        if (open === 0) done()
      })
    }
  }

  #emit(emission: Emission | undefined): void {
    if (emission === undefined) return
    if (emission.addsNewline) {
      this.#noteAdded()
      this.#output?.append(newline, 1)
      this.#outputBytes += 1
    }
    for (const { bytes, lineFeeds } of emission.pieces) {
      this.#output?.append(bytes, lineFeeds)
      this.#outputBytes += bytes.length
    }
  }

  #noteAdded(): void {
    this.#added.push(this.#outputBytes)
    if (this.#added.length > 2 * addedKept) {
      const { headBytes, tailBytes } = this.caps
      const kept = this.#added.filter((at) => at < headBytes || at >= this.#outputBytes - 2 * tailBytes)
      this.#addedForgotten += this.#added.length - kept.length
      this.#added = kept
    }
  }

  /** A partial line of the first stream that is still young stays with the assembler and is not copied. */
  #beginOutput(first: Source, now: number): void {
    if (now - this.streams[first].lastAt >= this.caps.partialLineMs) this.#emit(this.#assembler.flush(first))
    const upTo = this.#outputBytes
    const source = this.streams[first].file
    const output = new BoundedFile(this.directory, fileName("output"), this.caps, this.#onRoom)
    this.#output = output
    output.barrier((copied) => {
      source.barrier((goOn) => {
        const finished = () => {
          goOn()
          copied()
          this.#onRoom()
        }
        const failWith = async (fault: StorageFault) => output.failAfter(await keptInMemory(source, upTo), fault)
        const begun = source.fault !== undefined
          ? failWith(source.fault)
          : cloneKept(source, upTo, this.caps).then(
            (files) => output.adopt(files),
            (cause) => failWith({ operation: "copy", path: output.path, code: codeOf(cause) })
          )
        begun.then(finished)
      })
    })
  }

  #watchPartialLines(): void {
    if (this.#timer !== undefined || this.#output === undefined) return
    const ages = (["stdout", "stderr"] as const)
      .filter((source) => this.#assembler.heldBytes(source) > 0)
      .map((source) => performance.now() - this.streams[source].lastAt)
    if (ages.length === 0) return
    this.#timer = setTimeout(() => this.#flushOldLines(), Math.max(1, this.caps.partialLineMs - Math.max(...ages)))
    this.#timer.unref()
  }

  #flushOldLines(): void {
    this.#timer = undefined
    const now = performance.now()
    for (const source of ["stdout", "stderr"] as const) {
      const isOld = now - this.streams[source].lastAt >= this.caps.partialLineMs - 1
      if (isOld && this.#assembler.heldBytes(source) > 0) this.#emit(this.#assembler.flush(source))
    }
    this.#watchPartialLines()
  }
}
