/**
 * An agent of the Agent Client Protocol as a harness behind the Seam.
 *
 * Owns: starting and preparing it, one Turn after the other, its end.
 * Never owns: the protocol (acp-session, acp-turn), processes (process-host).
 * Ordering: a prepared agent has answered its handshake and has a session open; no content was sent.
 */
import type { HarnessName } from "@steno/contracts"
import {
  Diagnostics,
  type Harness,
  HarnessAuthRequired,
  HarnessNotExecutable,
  HarnessNotFound,
  HarnessProbeFailed,
  HarnessTimedOut,
  HarnessVersionUnsupported,
  type PreparedHarness,
  PrepareError,
  type PrepareOptions,
  safeText,
  Secrets,
  startTurn,
  type TurnHandle,
  type TurnResult,
  TurnSlot
} from "@steno/harness-seam"
import type { ProcessHost, ProcessHostError } from "@steno/process-host"
import { Deferred, Effect, Exit } from "effect"
import { errorCodes, type NativeError } from "./acp-message.ts"
import type { AcpAgent } from "./acp-presets.ts"
import { acpProfile } from "./acp-profile.ts"
import { type AcpProgram, connectProgram } from "./acp-program.ts"
import { AcpSession, agentCallServerName } from "./acp-session.ts"
import { AcpTurn } from "./acp-turn.ts"
import type { TurnReading } from "./session-reader.ts"

export interface AcpHarnessOptions {
  readonly agent: AcpAgent
  readonly processHost: Pick<ProcessHost["Service"], "locate" | "startProgram">
}

const unavailable = (reason: PrepareError["reason"]): PrepareError => new PrepareError({ reason })

/** The file that is started. */
const findAgent = Effect.fnUntraced(function*({ agent, processHost }: AcpHarnessOptions, options: PrepareOptions) {
  const { program } = agent
  const found = yield* processHost.locate(program, { cwd: options.workspace, environment: options.environment })
  if (found.kind === "found") return found.path
  return yield* Effect.fail(unavailable(
    found.kind === "not-found"
      ? new HarnessNotFound({
        explanation: `There is no program ${program}`,
        remedy: `Install ${agent.name}, or configure the path of its program.`
      })
      : new HarnessNotExecutable({
        explanation: `${found.path} cannot be run: ${found.code}`,
        remedy: "Make the file executable, or configure another path."
      })
  ))
})

const notStarted = (path: string, { reason }: ProcessHostError): PrepareError =>
  unavailable(
    reason.path === path
      ? new HarnessNotExecutable({ explanation: reason.message, remedy: "Reinstall it, or configure another path." })
      : new HarnessProbeFailed({ explanation: reason.message, remedy: "Choose a Workspace that is there." })
  )

const ended = (agent: AcpAgent): PrepareError =>
  unavailable(new HarnessProbeFailed({
    explanation: `${agent.name} ended before it answered its handshake`,
    remedy: `Run ${[agent.program, ...agent.arguments].join(" ")} in a terminal to see why.`
  }))

const timedOut = (agent: AcpAgent): PrepareError =>
  unavailable(new HarnessTimedOut({ explanation: `${agent.name} did not answer in time`, remedy: "Try again." }))

const refused = (agent: AcpAgent, { code, message }: NativeError): PrepareError =>
  unavailable(
    code === errorCodes.authRequired
      ? new HarnessAuthRequired({ explanation: `${agent.name} wants a login`, remedy: `Log in with ${agent.program} itself.` })
      : new HarnessProbeFailed({
        explanation: `${agent.name} refused its handshake: ${message}`,
        remedy: `Run ${[agent.program, ...agent.arguments].join(" ")} in a terminal to see why.`
      })
  )

const shakeHands = Effect.fnUntraced(function*(agent: AcpAgent, session: AcpSession) {
  const answer = yield* session.initialize
  if (answer._tag === "None") return yield* Effect.fail(timedOut(agent))
  if (answer.value.kind === "error") return yield* Effect.fail(refused(agent, answer.value.error))
  if (session.agent.protocolVersion !== 1) {
    return yield* Effect.fail(unavailable(new HarnessVersionUnsupported({
      explanation: `${agent.name} speaks another version of the protocol`,
      remedy: "Use a version of it that speaks version 1."
    })))
  }
})

/** What the harness was prepared for, reached; or why a Turn cannot start. A new session that is refused is no harness. */
const reachSession = Effect.fnUntraced(function*(
  agent: AcpAgent,
  session: AcpSession,
  { coordinate, model }: PrepareOptions
): Effect.fn.Return<TurnResult | undefined, PrepareError> {
  if (coordinate === undefined) {
    const error = yield* session.open
    if (error !== undefined) return yield* Effect.fail(refused(agent, error))
  } else {
    const failure = yield* session.load(coordinate)
    if (failure !== undefined) return { kind: "not-started", failure }
  }
  const failure = model === undefined ? undefined : yield* session.choose(model)
  return failure === undefined ? undefined : { kind: "not-started", failure }
})

/** Named by any agent as it names the tools of a server. */
const ownTool = new RegExp(`(^|[^a-z])${agentCallServerName}[^a-z]+run_(done|failed)$`, "i")

const readingOf = ({ offered, readResult, thoughts }: AcpAgent, options: PrepareOptions): TurnReading => ({
  offered,
  readResult,
  thoughts,
  isOwn: (name) => options.agentCallServer !== undefined && ownTool.test(name.trim())
})

export const makeAcpHarness = ({ agent, processHost }: AcpHarnessOptions): Harness => ({
  id: agent.id,
  name: agent.name,
  profile: acpProfile(agent, undefined),
  prepare: (options) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const diagnostics = new Diagnostics()
        const path = yield* findAgent({ agent, processHost }, options)
        const running = yield* processHost.startProgram({
          path,
          arguments: agent.arguments,
          cwd: options.workspace,
          marker: { name: "STENO_TURN_ID", value: options.turnId },
          environment: options.environment
        }).pipe(Effect.mapError((error) => notStarted(path, error)))
        const link: { program?: AcpProgram } = {}
        const write = (line: string) => link.program?.write(line)
        const session = new AcpSession({ write, diagnostics, options, offered: agent.offered })
        const program = yield* connectProgram(running, (message) => session.take(message), diagnostics)
        link.program = program
        const unreached = yield* Effect.andThen(shakeHands(agent, session), reachSession(agent, session, options)).pipe(
          Effect.raceFirst(Effect.andThen(program.gone, Effect.fail(ended(agent)))),
          restore,
          Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Effect.andThen(program.kill, running.release))
        )
        return yield* preparedAgent({ agent, options, session, program, diagnostics, unreached })
      })
    )
})

interface Prepared {
  readonly agent: AcpAgent
  readonly options: PrepareOptions
  readonly session: AcpSession
  readonly program: AcpProgram
  readonly diagnostics: Diagnostics
  readonly unreached: TurnResult | undefined
}

const preparedAgent = Effect.fnUntraced(function*(
  { agent, diagnostics, options, program, session, unreached }: Prepared
): Effect.fn.Return<PreparedHarness> {
  const { version } = session.agent
  const harness: HarnessName = { id: agent.id, name: agent.name, ...(version === undefined ? {} : { version }) }
  const profile = acpProfile(agent, { version, loads: session.agent.loads, offersModels: session.offersModels })
  const secrets = new Secrets(options.secrets)
  const slot = new TurnSlot()
  const closing = Deferred.makeUnsafe<void>()
  const reading = readingOf(agent, options)
  let live: { readonly handle: TurnHandle; readonly turn: AcpTurn } | undefined

  const start: PreparedHarness["startTurn"] = Effect.fnUntraced(function*(request, host) {
    const turn = new AcpTurn({
      session,
      program,
      reading,
      request,
      diagnostics,
      unreached,
      closing: Deferred.await(closing)
    })
    const handle = yield* startTurn({
      harness,
      host,
      secrets,
      diagnostics,
      ...(request.continues === undefined ? {} : { continues: request.continues }),
      profile,
      slot,
      drive: turn.drive,
      controls: () => turn.controls
    })
    live = { handle, turn }
    return handle
  })

  const close = yield* Effect.cached(Effect.uninterruptible(Effect.gen(function*() {
    slot.close()
    yield* Deferred.succeed(closing, undefined)
    if (live !== undefined) {
      yield* live.handle.result
      yield* live.turn.answered
    }
    const { stderrTail, ...report } = yield* program.close({ idle: live?.turn.isPlaying !== true })
    return {
      ...report,
      ...(stderrTail === undefined ? {} : { stderrTail: safeText(secrets, stderrTail) }),
      diagnostics: diagnostics.all()
    }
  })))
  return { harness, profile, startTurn: start, close }
})
