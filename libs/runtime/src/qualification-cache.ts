/**
 * What was found of the programs of outside agents, kept so that it need not be found again.
 *
 * Owns: `data/harness-qualification.json` of a home.
 * Never owns: what a finding says (the adapters), finding a program (found-program).
 * Ordering: a finding is kept when it was made; two processes that keep one at once leave one of both, whole.
 * Limits: only what was found to work is kept. A file that is gone, damaged or of another release is no fault: it is found again.
 * A home that may only be read keeps nothing.
 */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { FoundProgram } from "./found-program.ts"

const Kept = Schema.Struct({
  version: Schema.Literal(1),
  /** By harness: the program that was looked at last, and what was found. */
  harnesses: Schema.Record(Schema.String, Schema.Struct({ identity: Schema.String, finding: Schema.Json }))
})
type Kept = typeof Kept.Type

const nothingKept: Kept = { version: 1, harnesses: {} }

const decodeKept = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))

export interface Finding<A, E> {
  readonly harness: string
  readonly program: FoundProgram
  readonly schema: Schema.Codec<A, Schema.Json>
  /** Starts the program; asks no model. */
  readonly probe: Effect.Effect<A, E>
}

export class QualificationCache {
  readonly #file: string
  readonly #isWritable: boolean

  /** @param home its absolute path */
  constructor(home: string, access: "read" | "write") {
    this.#file = join(home, "data", "harness-qualification.json")
    this.#isWritable = access === "write"
  }

  /** What is kept of exactly this program; starts nothing. */
  known<A>({ harness, program, schema }: Omit<Finding<A, never>, "probe">): A | undefined {
    const kept = this.#read().harnesses[harness]
    if (kept === undefined || kept.identity !== program.identity) return undefined
    const decoded = Schema.decodeUnknownOption(schema)(kept.finding)
    return decoded._tag === "Some" ? decoded.value : undefined
  }

  /** What is kept, else what the probe finds, which is kept then. */
  find<A, E>(finding: Finding<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const known = this.known(finding)
      return known === undefined ? this.probe(finding) : Effect.succeed(known)
    })
  }

  /** What the probe finds now, whatever is kept. */
  probe<A, E>(finding: Finding<A, E>): Effect.Effect<A, E> {
    return Effect.tap(finding.probe, (found) => this.#keep(finding, found))
  }

  #read(): Kept {
    try {
      const decoded = decodeKept(readFileSync(this.#file, "utf8"))
      return decoded._tag === "Some" ? decoded.value : nothingKept
    } catch {
      return nothingKept
    }
  }

  #keep<A, E>({ harness, program, schema }: Finding<A, E>, found: A): Effect.Effect<void> {
    return Effect.try(() => {
      if (!this.#isWritable) return
      const finding = Schema.encodeSync(schema)(found)
      const { harnesses } = this.#read()
      this.#replace({ version: 1, harnesses: { ...harnesses, [harness]: { identity: program.identity, finding } } })
    }).pipe(Effect.catch((error) => Effect.logWarning(`What was found of ${harness} could not be kept: ${error.message}`)))
  }

  #replace(kept: Kept): void {
    const written = `${this.#file}.${randomBytes(8).toString("hex")}`
    mkdirSync(dirname(written), { recursive: true, mode: 0o700 })
    try {
      writeFileSync(written, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: "wx" })
      renameSync(written, this.#file)
    } catch (error) {
      rmSync(written, { force: true })
      throw error
    }
  }
}
