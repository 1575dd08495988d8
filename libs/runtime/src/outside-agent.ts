/**
 * An outside agent whose program is found, qualified and offered as a harness.
 *
 * Owns: when a program is started to learn what it can do: where nothing is kept of it and it is to be used, and on a check.
 * Never owns: how it is spoken to and what it claims (its adapter).
 */
import type { HarnessCheck, HarnessEntry, HarnessLook } from "@steno/application"
import type { Harness, HarnessProfile, PrepareError } from "@steno/harness-seam"
import type { ProcessHost } from "@steno/process-host"
import { Effect, type Schema } from "effect"
import type { AgentCommand } from "./agent-place.ts"
import { findProgram, type FoundProgram } from "./found-program.ts"
import type { Variables } from "./person-environment.ts"
import type { QualificationCache } from "./qualification-cache.ts"

/** What an adapter says of a program that it can use. */
export interface QualifiedProgram {
  readonly version?: string
  readonly profile: HarnessProfile
}

export interface OutsideAgentOptions<A> {
  readonly id: string
  readonly name: string
  readonly command: AgentCommand
  readonly processHost: Pick<ProcessHost["Service"], "locate">
  readonly cache: QualificationCache
  readonly environment: Variables
  /** Of what a probe finds; a program whose finding does not fit any more is probed again. */
  readonly schema: Schema.Codec<A, Schema.Json>
  /** Starts the program in the folder and asks no model; fails where it cannot be used. */
  readonly probe: (path: string, workspace: string) => Effect.Effect<A, PrepareError>
  /** Pure; fails where a program of which this was found cannot be used. */
  readonly judge: (path: string, finding: A) => Effect.Effect<QualifiedProgram, PrepareError>
  /** Drives the program that `qualify` names when a Turn is prepared. */
  readonly harness: (qualify: (workspace: string) => Effect.Effect<{ readonly path: string; readonly finding: A }, PrepareError>) => Harness
}

export interface OutsideAgent {
  readonly prepare: Harness["prepare"]
  readonly look: HarnessEntry["look"]
  readonly check: NonNullable<HarnessEntry["check"]>
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

export const makeOutsideAgent = <A>(options: OutsideAgentOptions<A>): OutsideAgent => {
  const { cache, command, environment, id, judge, name, processHost, probe, schema } = options
  const install = `Install ${name}, or name its program in the configuration.`
  const found = (workspace: string) => findProgram(processHost, { command, install }, environment, workspace)

  /** Nothing is kept of a program that cannot be used. */
  const findingOf = (program: FoundProgram, workspace: string) => ({
    harness: id,
    program,
    schema,
    probe: Effect.tap(probe(program.path, workspace), (finding) => judge(program.path, finding))
  })

  const qualify = Effect.fnUntraced(function*(workspace: string) {
    const program = yield* found(workspace)
    return { path: program.path, finding: yield* cache.find(findingOf(program, workspace)) }
  })

  const shown = ({ path }: FoundProgram, finding: A) =>
    Effect.map(judge(path, finding), (program) => ({
      found: true,
      path,
      ...(program.version === undefined ? {} : { version: program.version }),
      ...qualificationOf(program),
      profile: program.profile
    }))

  const known = (program: FoundProgram): Effect.Effect<HarnessLook, PrepareError> => {
    const finding = cache.known({ harness: id, program, schema })
    return finding === undefined
      ? Effect.succeed({
        found: true,
        path: program.path,
        qualification: "not-checked",
        reason: `Nothing is known of this program yet: \`steno harness check ${id}\` looks at it.`
      })
      : Effect.map(shown(program, finding), ({ profile: _, ...look }) => look)
  }

  const unlessFound = <B extends HarnessLook>(workspace: string, look: (program: FoundProgram) => Effect.Effect<B, PrepareError>) =>
    Effect.flatMap(found(workspace), (program) =>
      Effect.catch(look(program), (error) => Effect.succeed<B | HarnessLook>(unavailable(error, program.path)))).pipe(
        Effect.catch((error) => Effect.succeed<B | HarnessLook>(unavailable(error)))
      )

  return {
    prepare: options.harness(qualify).prepare,
    look: (workspace) => unlessFound(workspace, known),
    check: (workspace): Effect.Effect<HarnessCheck> =>
      unlessFound(workspace, (program) =>
        Effect.flatMap(cache.probe(findingOf(program, workspace)), (finding) => shown(program, finding)))
  }
}
