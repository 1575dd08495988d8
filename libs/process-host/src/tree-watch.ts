/**
 * Looks at the process table now and then while commands run, so that a process seen once stays known.
 *
 * Owns: one timer for all commands: 100 ms after a command's start, then once a second; one scan serves all.
 * Limits: nothing is read while no command runs, or for commands shorter than 100 ms. The timer keeps no process alive.
 */
import type { CommandKin } from "./command-kin.ts"
import { hasProcessTable, listPids, scanProcesses } from "./process-table.ts"

const firstMs = 100
const everyMs = 1_000

export class TreeWatch {
  readonly #watched = new Set<CommandKin>()
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY

  add(kin: CommandKin): void {
    if (!hasProcessTable()) return
    this.#watched.add(kin)
    this.#schedule(firstMs)
  }

  remove(kin: CommandKin): void {
    this.#watched.delete(kin)
    if (this.#watched.size === 0) this.close()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  #schedule(inMs: number): void {
    const dueAt = performance.now() + inMs
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => this.#look(), inMs)
    this.#timer.unref()
  }

  #look(): void {
    this.close()
    scanProcesses(listPids(), (entries) => {
      for (const kin of this.#watched) kin.note(entries)
      if (this.#watched.size > 0) this.#schedule(everyMs)
    })
  }
}
