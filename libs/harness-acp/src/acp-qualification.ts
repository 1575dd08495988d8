/**
 * Looks at an agent's program: whether it speaks the protocol, which version it is, what it can do.
 *
 * Owns: the probes and their order, what a finding means. No probe opens a session or reaches a model.
 * Never owns: keeping a finding (whoever asks for it).
 * Limits: each probe takes at most `harnessLimits.probeMs`. A look opens no session: which models there are is not known from it.
 */
import { harnessLimits } from "@steno/contracts"
import type { HarnessProfile, PrepareError } from "@steno/harness-seam"
import type { RunningProgram } from "@steno/process-host"
import { Effect, Schema } from "effect"
import { type AcpPrograms, type LaunchOptions, launchAgent } from "./acp-launch.ts"
import type { AcpAgent } from "./acp-presets.ts"
import { acpProfile } from "./acp-profile.ts"

/** What was found of a program that can be used: enough to judge the same file again without starting it. */
export const AcpFinding = Schema.Struct({
  /** As the agent says it, else as its program prints it; absent where neither does. */
  version: Schema.optionalKey(Schema.String),
  /** It can load a session that it had before. */
  loads: Schema.Boolean
})
export type AcpFinding = typeof AcpFinding.Type

export interface QualifiedAgent {
  readonly version?: string
  readonly profile: HarnessProfile
}

export const judgeAcpAgent = (agent: AcpAgent, { loads, version }: AcpFinding): QualifiedAgent => ({
  ...(version === undefined ? {} : { version }),
  profile: acpProfile(agent, { version, loads, offersModels: undefined })
})

/** As long as a version may be with what is printed around it. */
const printedUnits = 4096
const printedVersion = /\d+\.\d+\.\d+[-+.\w]*/

/** What stdout held when it closed. */
const printed = ({ stderr, stdin, stdout }: RunningProgram): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    let text = ""
    stdout.setEncoding("utf8")
    stdout.on("data", (piece: string) => {
      if (text.length < printedUnits) text += piece
    })
    stdout.once("close", () => resume(Effect.succeed(text)))
    stderr.resume()
    stdin.end()
  })

/** A program that prints no version, or nothing in time, may still speak the protocol. */
const askVersion = Effect.fnUntraced(function*(
  { agent, processHost }: AcpPrograms,
  path: string,
  { environment, turnId, workspace }: LaunchOptions
) {
  if (agent.versionArguments === undefined) return undefined
  const started = processHost.startProgram({
    path,
    arguments: agent.versionArguments,
    cwd: workspace,
    marker: { name: "STENO_TURN_ID", value: turnId },
    environment
  })
  const text = yield* Effect.acquireUseRelease(
    started,
    (program) => Effect.timeoutOption(printed(program), harnessLimits.probeMs),
    (program) => Effect.andThen(program.terminate({ grace: false }), program.release)
  ).pipe(Effect.option)
  return text._tag === "Some" && text.value._tag === "Some" ? printedVersion.exec(text.value.value)?.[0] : undefined
})

/** Starts the file at `path` and shakes hands. Fails with a remedy; nothing of it runs when it is done. */
export const probeAcpAgent = Effect.fn("probeAcpAgent")(function*(
  programs: AcpPrograms,
  path: string,
  options: LaunchOptions
): Effect.fn.Return<AcpFinding, PrepareError> {
  const told = yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(launchAgent(programs, path, options, Effect.succeed)), ({ program, session }) =>
      Effect.as(program.close({ idle: true }), session.agent)))
  const version = told.version ?? (yield* askVersion(programs, path, options))
  return { loads: told.loads, ...(version === undefined ? {} : { version }) }
})
