/**
 * The processes of one command: who was seen in its tree and who is left now.
 *
 * Owns: the recorded tree (identity of every process once seen), and the choice of how much of the table is read.
 * Limits: a process that cleared its environment and left tree, session and group before it was seen cannot be found.
 */
import { processLimits, type Survivor } from "@steno/contracts"
import { isInSession, kinOf } from "./process-kin.ts"
import type { ProcessMarker } from "./process-host.ts"
import {
  commandLine,
  hasMarker,
  isZombie,
  lastPid,
  listPids,
  type ProcessEntry,
  scanProcesses
} from "./process-table.ts"

interface Root {
  readonly pid: number
  readonly startTime: string
}

/** Within this time pids cannot have gone round: only those handed out since the start need a look. */
const youngMs = 2_000

/** Pids handed out after `first`, up to `last`, going round at the end of the range. */
export const isYounger = (pid: number, first: number, last: number): boolean =>
  first <= last ? pid >= first && pid <= last : pid >= first || pid <= last

export class CommandKin {
  readonly #root: Root | undefined
  readonly #marker: ProcessMarker
  readonly #recorded = new Map<number, string>()
  readonly #startedAt = performance.now()
  readonly #watched: boolean
  #session: "ours" | "if-witnessed" | "no"

  /** `watched`: this process started the shell and has kept an eye on it since. */
  constructor(root: Root | undefined, marker: ProcessMarker, watched: boolean) {
    this.#root = root
    this.#marker = marker
    this.#watched = watched
    this.#session = watched ? "ours" : "if-witnessed"
    if (root !== undefined) this.#recorded.set(root.pid, root.startTime)
  }

  /** Records whom a scan shows in the tree. */
  note(entries: ReadonlyArray<ProcessEntry>): void {
    for (const entry of this.#members(entries, new Set())) this.#recorded.set(entry.pid, entry.startTime)
  }

  /** Everyone who is left and runs; zombies do not. Calls back once. */
  left(answer: (entries: ReadonlyArray<ProcessEntry>) => void): void {
    scanProcesses(this.#pidsToRead(), (entries) => {
      const members = this.#members(entries, this.#marked(entries))
      for (const entry of members) this.#recorded.set(entry.pid, entry.startTime)
      if (members.length === 0) this.#session = "no"
      else if (this.#session === "if-witnessed" && members.some((entry) => isInSession(this.#root, entry))) this.#session = "ours"
      answer(members.filter((entry) => !isZombie(entry)))
    })
  }

  #pidsToRead(): ReadonlyArray<number> {
    const first = this.#root?.pid
    if (first === undefined || !this.#watched || performance.now() - this.#startedAt > youngMs) return listPids()
    const last = lastPid()
    if (last === first) return [first]
    const pids = listPids()
    return last === undefined ? pids : pids.filter((pid) => isYounger(pid, first, last))
  }

  #marked(entries: ReadonlyArray<ProcessEntry>): ReadonlySet<number> {
    const from = this.#root === undefined ? 0 : Number(this.#root.startTime)
    const marked = new Set<number>()
    for (const entry of entries) {
      if (Number(entry.startTime) >= from && !isZombie(entry) && hasMarker(entry.pid, this.#marker)) marked.add(entry.pid)
    }
    return marked
  }

  #members(entries: ReadonlyArray<ProcessEntry>, marked: ReadonlySet<number>): ReadonlyArray<ProcessEntry> {
    return kinOf(entries, {
      root: this.#root,
      recorded: this.#recorded,
      session: this.#session,
      self: process.pid
    }, marked)
  }
}

export const survivorOf = (entry: ProcessEntry): Survivor => ({
  pid: entry.pid,
  command: commandLine(entry, processLimits.survivorCommandCharacters)
})
