/**
 * Starts an agent's program and shakes hands with it.
 *
 * Owns: which file is started, the handshake, why a program is no harness and what a person can do.
 * Never owns: sessions and Turns (acp-session, acp-turn), processes (process-host).
 * Ordering: nothing is sent before the handshake; where that fails, nothing of the program is left.
 */
import {
  Diagnostics,
  HarnessAuthRequired,
  HarnessNotExecutable,
  HarnessNotFound,
  HarnessProbeFailed,
  HarnessTimedOut,
  HarnessVersionUnsupported,
  PrepareError,
  type PrepareOptions,
  safeText,
  Secrets
} from "@steno/harness-seam"
import type { ProcessHost, ProcessHostError } from "@steno/process-host"
import { Effect, Exit } from "effect"
import { errorCodes, type NativeError } from "./acp-message.ts"
import type { AcpAgent } from "./acp-presets.ts"
import { type AcpProgram, connectProgram, type ProgramEnd } from "./acp-program.ts"
import { AcpSession } from "./acp-session.ts"

/** What a program is started with; those of a Turn that is prepared, or of a look at it. */
export type LaunchOptions = Omit<PrepareOptions, "coordinate" | "model">

export interface AcpPrograms {
  readonly agent: AcpAgent
  readonly processHost: Pick<ProcessHost["Service"], "locate" | "startProgram">
}

export interface LaunchedAgent {
  readonly program: AcpProgram
  readonly session: AcpSession
  readonly diagnostics: Diagnostics
}

const fail = (reason: PrepareError["reason"]) => Effect.fail(new PrepareError({ reason }))

/** The file that an agent's name or path means in a person's environment. */
export const locateAgent = Effect.fnUntraced(function*(
  { agent, processHost }: AcpPrograms,
  { environment, workspace }: Pick<LaunchOptions, "environment" | "workspace">
) {
  const { name, program } = agent
  const found = yield* processHost.locate(program, { cwd: workspace, environment })
  if (found.kind === "found") return found.path
  return yield* fail(
    found.kind === "not-found"
      ? new HarnessNotFound({
        explanation: `There is no program ${program}`,
        remedy: `Install ${name}, or configure the path of its program.`
      })
      : new HarnessNotExecutable({
        explanation: `${found.path} cannot be run: ${found.code}`,
        remedy: "Make the file executable, or configure another path."
      })
  )
})

const notStarted = (path: string, { reason }: ProcessHostError): PrepareError["reason"] =>
  reason.path === path
    ? new HarnessNotExecutable({ explanation: reason.message, remedy: "Reinstall it, or configure another path." })
    : new HarnessProbeFailed({ explanation: reason.message, remedy: "Choose a Workspace that is there." })

const inTerminal = ({ arguments: words, program }: AcpAgent): string => `Run ${[program, ...words].join(" ")} in a terminal to see why.`

const colours = /\u001b\[[0-9;]*m/g
const lastWordUnits = 200

/** The last line of stderr mostly says why a program ended. */
const lastWords = (stderr: string | undefined): string => (stderr ?? "").replace(colours, "").trim().split("\n").at(-1)?.slice(0, lastWordUnits) ?? ""

const brokenWords = (end: ProgramEnd): string => {
  switch (end.kind) {
    case "exited":
      return "ended before it answered its handshake"
    case "silent":
      return "closed its output before it answered its handshake"
    case "unreadable":
      return `does not keep to the protocol. ${end.explanation}`
  }
}

const broken = (agent: AcpAgent, end: ProgramEnd, stderr: string | undefined) => {
  const explanation = [`${agent.name} ${brokenWords(end)}`, lastWords(stderr)].filter((words) => words !== "").join(": ")
  return new HarnessProbeFailed({ explanation, remedy: inTerminal(agent) })
}

/** An agent that refused what comes before the first Turn. */
export const refusedBy = (agent: AcpAgent, { code, message }: NativeError): PrepareError =>
  new PrepareError({
    reason: code === errorCodes.authRequired
      ? new HarnessAuthRequired({ explanation: `${agent.name} wants a login`, remedy: `Log in with ${agent.program} itself.` })
      : new HarnessProbeFailed({ explanation: `${agent.name} refused its handshake: ${message}`, remedy: inTerminal(agent) })
  })

const shakeHands = Effect.fnUntraced(function*(agent: AcpAgent, session: AcpSession) {
  const answer = yield* session.initialize
  if (answer._tag === "None") {
    return yield* fail(new HarnessTimedOut({ explanation: `${agent.name} did not answer in time`, remedy: "Try again." }))
  }
  if (answer.value.kind === "error") return yield* Effect.fail(refusedBy(agent, answer.value.error))
  if (session.agent.protocolVersion !== 1) {
    return yield* fail(new HarnessVersionUnsupported({
      explanation: `${agent.name} speaks another version of the protocol`,
      remedy: "Use a version of it that speaks version 1."
    }))
  }
})

/**
 * Starts the file at `path`, shakes hands and does `use`. Where any of it fails or is interrupted, the program's tree is gone before
 * that is known; otherwise whoever has the program closes it.
 */
export const launchAgent = <A>(
  { agent, processHost }: AcpPrograms,
  path: string,
  options: LaunchOptions,
  use: (launched: LaunchedAgent) => Effect.Effect<A, PrepareError>
): Effect.Effect<A, PrepareError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const { environment, secrets, turnId, workspace } = options
      const diagnostics = new Diagnostics()
      const running = yield* processHost.startProgram({
        path,
        arguments: agent.arguments,
        cwd: workspace,
        marker: { name: "STENO_TURN_ID", value: turnId },
        environment
      }).pipe(Effect.catch((error) => fail(notStarted(path, error))))
      const link: { program?: AcpProgram } = {}
      const write = (line: string) => link.program?.write(line)
      const session = new AcpSession({ write, diagnostics, options, offered: agent.offered })
      const program = yield* connectProgram(running, (message) => session.take(message), diagnostics)
      link.program = program
      const ended = Effect.flatMap(program.gone, (end) => {
        const stderr = program.stderrTail()
        return fail(broken(agent, end, stderr === undefined ? undefined : safeText(new Secrets(secrets), stderr)))
      })
      return yield* Effect.andThen(shakeHands(agent, session), use({ program, session, diagnostics })).pipe(
        Effect.raceFirst(ended),
        restore,
        Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Effect.andThen(program.kill, running.release))
      )
    })
  )
