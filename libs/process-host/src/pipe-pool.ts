/**
 * Real pipes for the output of commands.
 *
 * Node's own `stdio: "pipe"` is a pair of sockets, and a child that opens `/dev/stderr` or `/dev/stdout` gets ENXIO.
 * Node cannot make a pipe, so one `mkfifo` makes a batch of named ones in a private folder; both ends are opened, the
 * folder goes at once, and what is left are ordinary pipes.
 *
 * Owns: the batch, its refill behind the commands, taking a pipe back whose end was seen, closing what was not used.
 * Limits: nothing is made before the first command; 4 pipes at first, then 16 a batch, refilled below 2; at most 32 wait
 * for use. Without `mkfifo` there are none: callers use stock pipes.
 */
import { spawn } from "node:child_process"
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface PipePair {
  readonly readFd: number
  /** Blocking, as a child expects it. */
  readonly writeFd: number
}

const firstBatch = 4
const batch = 16
const low = 2
const mostReady = 32

export const closeFd = (fd: number): void => {
  try {
    closeSync(fd)
  } catch {
    return
  }
}

const openPair = (path: string): PipePair => {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY) }
  } catch (cause) {
    closeFd(readFd)
    throw cause
  }
}

const makeFolder = (): string | undefined => {
  try {
    return mkdtempSync(join(tmpdir(), "steno-pipes-"))
  } catch {
    return undefined
  }
}

/** Nothing waits for it, and what cannot be removed lies in the system's temporary folder. */
const removeFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    return
  }
}

export class PipePool {
  #ready: Array<PipePair> = []
  #waiting: Array<() => void> = []
  #state: "idle" | "filling" | "unavailable" | "closed" = "idle"
  #size = firstBatch

  /** Starts a refill unless one is under way; never waits. */
  fill(): void {
    if (this.#state !== "idle") return
    const folder = makeFolder()
    if (folder === undefined) return this.#settle("unavailable")
    this.#state = "filling"
    const leave = () => removeFolder(folder)
    process.once("exit", leave)
    const paths = Array.from({ length: this.#size }, (_, index) => join(folder, String(index)))
    this.#size = batch
    const maker = spawn("mkfifo", ["-m", "600", "--", ...paths], { stdio: "ignore" })
    const made = (usable: ReadonlyArray<string>) => {
      this.#filled(usable)
      leave()
      process.off("exit", leave)
    }
    maker.once("error", () => made([]))
    maker.once("exit", (code) => made(code === 0 ? paths : []))
  }

  /** Calls back once, possibly at once, with two pipes that are the caller's, or with nothing where none can be made. */
  takeTwo(answer: (pipes: readonly [PipePair, PipePair] | undefined) => void): void {
    if (this.#ready.length >= 2) {
      const pipes = [this.#ready.pop() as PipePair, this.#ready.pop() as PipePair] as const
      if (this.#ready.length < low) setImmediate(() => this.fill())
      return answer(pipes)
    }
    if (this.#state === "unavailable" || this.#state === "closed") return answer(undefined)
    this.#waiting.push(() => this.takeTwo(answer))
    this.fill()
  }

  /**
   * For a pipe whose end was seen: nobody holds its write end, so once opened anew it is as good as a fresh one. Both
   * ends of the caller stay the caller's.
   */
  takeBack(readFd: number): void {
    if (this.#state === "closed" || this.#state === "unavailable" || this.#ready.length >= mostReady) return
    try {
      this.#ready.push(openPair(`/proc/self/fd/${readFd}`))
    } catch {
      // Where descriptors cannot be opened anew, the next refill makes pipes.
    }
  }

  /** Closes what was not handed out. Idempotent. */
  close(): void {
    this.#settle("closed")
    for (const { readFd, writeFd } of this.#ready.splice(0)) {
      closeFd(readFd)
      closeFd(writeFd)
    }
  }

  #filled(paths: ReadonlyArray<string>): void {
    if (this.#state !== "filling") return
    const before = this.#ready.length
    try {
      for (const path of paths) this.#ready.push(openPair(path))
    } catch {
      // Descriptors ran out: what was opened is used, the rest waits for the next refill.
    }
    this.#settle(this.#ready.length > before ? "idle" : "unavailable")
  }

  #settle(state: "idle" | "unavailable" | "closed"): void {
    this.#state = state
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
