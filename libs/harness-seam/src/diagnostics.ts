/**
 * Oddities of a harness that change nothing, counted.
 *
 * Limits: at most 64 kinds with 512 UTF-16 units each; further ones are only counted. No text of a Turn stands in them.
 */

export interface SeamDiagnostic {
  /** Of the Seam or of the adapter: `late-report`, `unknown-notification`, … */
  readonly code: string
  readonly text: string
  /** How often, from 1. */
  readonly count: number
}

const kindLimit = 64
const textUnits = 512

export class Diagnostics {
  readonly #kinds = new Map<string, SeamDiagnostic>()

  /** Equal code and text are one diagnostic. */
  note(code: string, text: string): void {
    const shown = text.slice(0, textUnits).toWellFormed()
    const key = JSON.stringify([code, shown])
    const known = this.#kinds.get(key)
    if (known !== undefined) this.#kinds.set(key, { ...known, count: known.count + 1 })
    else if (this.#kinds.size < kindLimit) this.#kinds.set(key, { code, text: shown, count: 1 })
    else this.#further()
  }

  all(): ReadonlyArray<SeamDiagnostic> {
    return [...this.#kinds.values()]
  }

  #further(): void {
    const count = (this.#kinds.get("")?.count ?? 0) + 1
    this.#kinds.set("", { code: "further-diagnostics", text: "Diagnostics of further kinds", count })
  }
}
