/**
 * An outside agent whose program is found, qualified and offered as a harness.
 *
 * Owns: when a program is started to learn what it can do: where nothing is kept of it and it is to be used, and on a check.
 * Never owns: how it is spoken to and what it claims (its adapter).
 */
import type { HarnessCheck, HarnessEntry, HarnessLook } from "@steno/application"
import type { Harness, HarnessProfile, PrepareError } from "@steno/harness-seam"
import { Effect, type Schema } from "effect"
import { findProgram, type FoundProgram, type ProgramToFind } from "./found-program.ts"
import type { Variables } from "./person-environment.ts"
import type { QualificationCache } from "./qualification-cache.ts"

/** What an adapter says of a program that it can use. */
export interface QualifiedProgram {
  readonly version: string
  readonly profile: HarnessProfile
}

export interface OutsideAgentOptions<A> {
  readonly id: string
  readonly name: string
  readonly needs: string
  readonly find: ProgramToFind
  readonly cache: QualificationCache
  readonly environment: Variables
  /** Of what a probe finds; a program whose finding does not fit any more is probed again. */
  readonly schema: Schema.Codec<A, Schema.Json>
  /** Starts the program in the folder and asks no model; fails where it cannot be used. */
  readonly probe: (path: string, workspace: string) => Effect.Effect<A, PrepareError>
  readonly qualified: (finding: A) => QualifiedProgram
  /** Drives the program that `qualify` names when a Turn is prepared. */
  readonly harness: (qualify: (workspace: string) => Effect.Effect<{ readonly path: string; readonly finding: A }, PrepareError>) => Harness
}

const unavailable = ({ reason }: PrepareError, path?: string): HarnessLook => ({
  found: path !== undefined || reason.code !== "not-found",
  ...(path === undefined ? {} : { path }),
  qualification: "unavailable",
  reason: `${reason.explanation}. ${reason.remedy}`
})

const qualificationOf = ({ profile }: QualifiedProgram): Pick<HarnessLook, "qualification" | "reason"> => {
  const lacking = Object.values(profile).filter(({ state }) => state !== "supported").map(({ name }) => name)
  return lacking.length === 0
    ? { qualification: "qualified" }
    : { qualification: "limited", reason: `Not or not wholly supported: ${lacking.join(", ")}` }
}

export const makeOutsideAgent = <A>(options: OutsideAgentOptions<A>): HarnessEntry => {
  const { cache, environment, find, id, name, needs, probe, qualified, schema } = options
  const found = findProgram(find, environment)

  const findingOf = (program: FoundProgram, workspace: string) => ({ harness: id, program, schema, probe: probe(program.path, workspace) })

  const qualify = Effect.fnUntraced(function*(workspace: string) {
    const program = yield* found
    return { path: program.path, finding: yield* cache.find(findingOf(program, workspace)) }
  })

  const shown = ({ path }: FoundProgram, finding: A): HarnessCheck & { readonly profile: HarnessProfile } => {
    const program = qualified(finding)
    return { found: true, path, version: program.version, ...qualificationOf(program), profile: program.profile }
  }

  const look = found.pipe(
    Effect.map((program): HarnessLook => {
      const finding = cache.known({ harness: id, program, schema })
      if (finding === undefined) {
        return {
          found: true,
          path: program.path,
          qualification: "not-checked",
          reason: `Nothing is known of this program yet: \`steno harness check ${id}\` looks at it.`
        }
      }
      const { profile: _, ...told } = shown(program, finding)
      return told
    }),
    Effect.catch((error) => Effect.succeed(unavailable(error)))
  )

  const check = Effect.fnUntraced(function*(workspace: string) {
    const program = yield* found
    return yield* cache.probe(findingOf(program, workspace)).pipe(
      Effect.map((finding): HarnessCheck => shown(program, finding)),
      Effect.catch((error) => Effect.succeed<HarnessCheck>(unavailable(error, program.path)))
    )
  }, (effect) => Effect.catch(effect, (error) => Effect.succeed<HarnessCheck>(unavailable(error))))

  return {
    id,
    name,
    needs,
    agent: "outside",
    harness: options.harness(qualify),
    model: { kind: "own" },
    look: () => look,
    check
  }
}
