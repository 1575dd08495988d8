/**
 * One growing file that keeps its first and its last bytes.
 *
 * Owns: the head file, the two tail segments behind it, the queue of bytes to be written.
 * Never owns: joining (capture-close), which bytes come (capture).
 * Ordering: bytes are written in the order of `append`; a barrier runs when all before it are written and none after.
 * Limits: one write at a time, each of at most `writeBytes`; the tail takes two segments of `tailBytes`. After the first
 * fault nothing is written any more: the last 64 KiB stay in memory.
 */
import { closeSync, open, openSync, rmSync, write, writev } from "node:fs"
import { join } from "node:path"
import type { CaptureCaps } from "./capture-caps.ts"
import { segmentName } from "./capture-names.ts"
import { countLineFeeds } from "./line-feeds.ts"
import { MemoryTail } from "./memory-tail.ts"
import { codeOf, type StorageFault } from "./storage-fault.ts"
import { encodeHeader } from "./tail-segment.ts"

interface Piece {
  readonly bytes: Uint8Array
  /** Line feeds of the file before this piece. */
  readonly lineFeedsBefore: number
}

export interface OpenSegment {
  readonly fd: number
  readonly path: string
  readonly ordinal: number
  readonly lineFeedsBefore: number
}

/** A file as it lies on disk: its head, and its segments oldest first. */
export interface GrownFiles {
  readonly head: number
  readonly segments: ReadonlyArray<OpenSegment>
  /** Bytes that were ever written. */
  readonly written: number
}

/** Called when all earlier bytes are written; nothing is written until `done`. */
export type Barrier = (done: () => void) => void

/** A busy segment's header is renewed this often, an idle one's after this time. */
const countEveryBytes = 1024 * 1024
const countAfterMs = 20

export const exclusiveFlags = "wx+"
export const fileMode = 0o600

export class BoundedFile {
  readonly directory: string
  readonly name: string
  readonly #caps: CaptureCaps
  readonly #onRoom: () => void
  /** Oldest first. */
  readonly #queue: Array<Piece | Barrier> = []
  #head: number | undefined
  #segment: OpenSegment | undefined
  #oldSegment: OpenSegment | undefined
  #busy = false
  #waiting = 0
  #written = 0
  /** Bytes of the segment that its header does not count yet. */
  #uncounted = 0
  #countTimer: NodeJS.Timeout | undefined
  /** From now on whoever asked for it owns the descriptors and may close them: no header is written later. */
  #isFinished = false
  #lineFeeds = 0
  #fault: StorageFault | undefined
  #lost: MemoryTail | undefined

  /** `onRoom` is called after each write. */
  constructor(directory: string, name: string, caps: CaptureCaps, onRoom: () => void = () => undefined) {
    this.directory = directory
    this.name = name
    this.#caps = caps
    this.#onRoom = onRoom
  }

  get path(): string {
    return join(this.directory, this.name)
  }

  /** Bytes accepted and not yet written. */
  get waiting(): number {
    return this.#waiting
  }

  /** Bytes on disk or rotated away. */
  get written(): number {
    return this.#written
  }

  /** Bytes that head and segments hold on disk; a segment that is written anew counts whole. */
  get onDisk(): number {
    const { headBytes, tailBytes } = this.#caps
    return Math.min(this.#written, headBytes + 2 * tailBytes)
  }

  get lineFeeds(): number {
    return this.#lineFeeds
  }

  get fault(): StorageFault | undefined {
    return this.#fault
  }

  /** Bytes that came after the fault. */
  get lost(): MemoryTail | undefined {
    return this.#lost
  }

  /** Segments on disk, oldest first. */
  get segments(): ReadonlyArray<OpenSegment> {
    return [this.#oldSegment, this.#segment].filter((segment) => segment !== undefined)
  }

  /** Nothing is appended any more. */
  finish(done: () => void): void {
    this.#isFinished = true
    clearTimeout(this.#countTimer)
    this.barrier((next) => {
      next()
      done()
    })
  }

  /** What lies on disk; absent when the file could not be made. */
  get grown(): GrownFiles | undefined {
    return this.#head === undefined
      ? undefined
      : { head: this.#head, segments: this.segments, written: this.#written }
  }

  /** Creates the head file; throws the system's error. */
  create(): void {
    this.#head = openSync(this.path, exclusiveFlags, fileMode)
  }

  /** Continues files made by someone else: `written` bytes are there already. */
  adopt(files: GrownFiles): void {
    this.#head = files.head
    this.#segment = files.segments.at(-1)
    this.#oldSegment = files.segments.at(-2)
    this.#written = files.written
  }

  /** From now on bytes, also waiting ones, go to memory only. */
  fail(fault: StorageFault): void {
    this.#fault ??= fault
    this.#lost ??= new MemoryTail()
    for (const item of this.#queue.splice(0)) {
      if (typeof item === "function") this.#queue.push(item)
      else this.#lose(item.bytes)
    }
  }

  /** `earlier` bytes were to be copied here and are lost with it. */
  failAfter(earlier: Uint8Array, fault: StorageFault): void {
    this.#lost ??= new MemoryTail()
    this.#lost.push(earlier)
    this.fail(fault)
  }

  /** Removes a file that was only just created; it is gone when this returns, unless the disk refuses that too. */
  discard(): void {
    if (this.#head === undefined) return
    closeSync(this.#head)
    this.#head = undefined
    try {
      rmSync(this.path, { force: true })
    } catch {
      return
    }
  }

  /** `lineFeeds` of the bytes; they belong to the file until written. */
  append(bytes: Uint8Array, lineFeeds: number): void {
    if (bytes.length === 0) return
    const lineFeedsBefore = this.#lineFeeds
    this.#lineFeeds += lineFeeds
    this.#waiting += bytes.length
    if (this.#fault !== undefined) return this.#lose(bytes)
    this.#queue.push({ bytes, lineFeedsBefore })
    this.#pump()
  }

  barrier(barrier: Barrier): void {
    this.#queue.push(barrier)
    this.#pump()
  }

  #lose(bytes: Uint8Array): void {
    this.#waiting -= bytes.length
    this.#lost?.push(bytes)
  }

  #pump(): void {
    if (this.#busy) return
    const first = this.#queue[0]
    if (first === undefined) return
    this.#busy = true
    if (typeof first === "function") {
      this.#queue.shift()
      return first(() => this.#next())
    }
    const room = this.#room()
    if (room === 0) return this.#rotate(first)
    this.#write(room)
  }

  #next(): void {
    this.#busy = false
    this.#pump()
  }

  /** Bytes the open file still takes; a segment's end is at a multiple of its size. */
  #room(): number {
    const { headBytes, tailBytes } = this.#caps
    if (this.#written < headBytes) return headBytes - this.#written
    const inSegment = (this.#written - headBytes) % tailBytes
    const ordinal = Math.floor((this.#written - headBytes) / tailBytes)
    return this.#segment?.ordinal === ordinal ? tailBytes - inSegment : 0
  }

  #rotate(first: Piece): void {
    const ordinal = (this.#segment?.ordinal ?? -1) + 1
    const path = join(this.directory, segmentName(this.name, ordinal))
    const begin = (fd: number) => {
      this.#oldSegment = this.#segment
      this.#segment = { fd, path, ordinal, lineFeedsBefore: first.lineFeedsBefore }
      this.#writeHeader(this.#segment, 0)
    }
    const reused = this.#oldSegment
    if (reused !== undefined) return begin(reused.fd)
    open(path, exclusiveFlags, fileMode, (cause, fd) => {
      if (cause === null) return begin(fd)
      this.#failAt("open", path, codeOf(cause))
    })
  }

  #countLater(): void {
    if (this.#isFinished || this.#uncounted === 0 || this.#countTimer !== undefined) return
    this.#countTimer = setTimeout(() => {
      this.#countTimer = undefined
      if (this.#uncounted === 0 || this.#fault !== undefined) return
      this.barrier((done) => {
        const segment = this.#segment
        if (this.#isFinished || segment === undefined || this.#uncounted === 0) return done()
        this.#writeHeader(segment, this.#written - this.#caps.headBytes - segment.ordinal * this.#caps.tailBytes)
      })
    }, countAfterMs)
    this.#countTimer.unref()
  }

  #writeHeader(segment: OpenSegment, length: number): void {
    const header = encodeHeader({ ordinal: segment.ordinal, lineFeedsBefore: segment.lineFeedsBefore, length })
    this.#uncounted = 0
    write(segment.fd, header, 0, header.length, this.#caps.tailBytes, (cause) => {
      if (cause !== null) return this.#failWrite(codeOf(cause))
      this.#onRoom()
      this.#next()
    })
  }

  #write(room: number): void {
    const limit = Math.min(room, this.#caps.writeBytes)
    const batch: Array<Uint8Array> = []
    let size = 0
    for (let index = 0; index < this.#queue.length && size < limit; index++) {
      const item = this.#queue[index]
      if (item === undefined || typeof item === "function") break
      const fits = item.bytes.length <= limit - size
      if (!fits && size > 0 && limit < room) break
      const part = fits ? item.bytes : item.bytes.subarray(0, limit - size)
      batch.push(part)
      size += part.length
    }
    const { headBytes, tailBytes } = this.#caps
    const inHead = this.#written < headBytes
    const fd = inHead ? this.#head : this.#segment?.fd
    const position = inHead ? this.#written : (this.#written - headBytes) % tailBytes
    if (fd === undefined) return this.#failWrite("EBADF")
    writev(fd, batch, position, (cause, count) => {
      if (cause !== null) return this.#failWrite(codeOf(cause))
      if (count === 0) return this.#failWrite("ENOSPC")
      this.#took(count)
      const segment = this.#segment
      this.#uncounted = inHead ? 0 : this.#uncounted + count
      if (segment !== undefined && this.#uncounted >= countEveryBytes) {
        return this.#writeHeader(segment, position + count)
      }
      this.#countLater()
      this.#onRoom()
      this.#next()
    })
  }

  #failWrite(code: string): void {
    this.#failAt("write", this.path, code)
  }

  /** What waited is lost and makes room: whoever feeds the file goes on. */
  #failAt(operation: string, path: string, code: string): void {
    this.fail({ operation, path, code })
    this.#onRoom()
    this.#next()
  }

  #took(count: number): void {
    this.#written += count
    this.#waiting -= count
    let left = count
    let whole = 0
    while (left > 0) {
      const item = this.#queue[whole]
      if (item === undefined || typeof item === "function") break
      if (item.bytes.length > left) {
        this.#queue[whole] = {
          bytes: item.bytes.subarray(left),
          lineFeedsBefore: item.lineFeedsBefore + countLineFeeds(item.bytes.subarray(0, left))
        }
        break
      }
      left -= item.bytes.length
      whole++
    }
    if (whole > 0) this.#queue.splice(0, whole)
  }
}
