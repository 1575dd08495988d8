/**
 * An agent of the Agent Client Protocol as a harness behind the Seam.
 *
 * Owns: starting and preparing it, one Turn after the other, its end.
 * Never owns: the protocol (acp-session, acp-turn), processes (process-host).
 * Ordering: a prepared agent has answered its handshake and has a session open; no content was sent.
 * Limits: a session gets its servers when it is opened: with one for Agent calls, which ends with its Turn, a program plays one Turn.
 */
import type { HarnessName } from "@steno/contracts"
import {
  type Harness,
  type PreparedHarness,
  type PrepareError,
  type PrepareOptions,
  safeText,
  Secrets,
  startTurn,
  type TurnHandle,
  type TurnResult,
  TurnSlot
} from "@steno/harness-seam"
import { Deferred, Effect } from "effect"
import { type AcpPrograms, launchAgent, type LaunchedAgent, locateAgent, refusedBy } from "./acp-launch.ts"
import type { AcpAgent } from "./acp-presets.ts"
import { acpProfile } from "./acp-profile.ts"
import { type AcpSession, agentCallServerName } from "./acp-session.ts"
import { AcpTurn } from "./acp-turn.ts"
import type { TurnReading } from "./session-reader.ts"

/** The file that is started. */
export interface FoundAgent {
  /** Absolute. */
  readonly path: string
  /** Where the program was looked at before: of an agent that does not tell its own. */
  readonly version?: string
}

export interface AcpHarnessOptions extends AcpPrograms {
  /** Which file is started; fails with a remedy. Default: looked for by the agent's program, and not looked at before. */
  readonly find?: (options: PrepareOptions) => Effect.Effect<FoundAgent, PrepareError>
}

/** What the harness was prepared for, reached; or why a Turn cannot start. A new session that is refused is no harness. */
const reachSession = Effect.fnUntraced(function*(
  agent: AcpAgent,
  session: AcpSession,
  { coordinate, model }: PrepareOptions
): Effect.fn.Return<TurnResult | undefined, PrepareError> {
  if (coordinate === undefined) {
    const error = yield* session.open
    if (error !== undefined) return yield* Effect.fail(refusedBy(agent, error))
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

export const makeAcpHarness = (harness: AcpHarnessOptions): Harness => {
  const { agent, find = (options) => Effect.map(locateAgent(harness, options), (path) => ({ path })) } = harness
  return {
    id: agent.id,
    name: agent.name,
    profile: acpProfile(agent, undefined),
    prepare: Effect.fn("AcpHarness.prepare")(function*(options) {
      const found = yield* find(options)
      return yield* launchAgent(harness, found.path, options, (launched) =>
        Effect.flatMap(reachSession(agent, launched.session, options), (unreached) =>
          preparedAgent({ agent, options, found, launched, unreached })))
    })
  }
}

interface Prepared {
  readonly agent: AcpAgent
  readonly options: PrepareOptions
  readonly found: FoundAgent
  readonly launched: LaunchedAgent
  readonly unreached: TurnResult | undefined
}

const preparedAgent = Effect.fnUntraced(function*(
  { agent, found, launched, options, unreached }: Prepared
): Effect.fn.Return<PreparedHarness> {
  const { diagnostics, program, session } = launched
  const version = session.agent.version ?? found.version
  const harness: HarnessName = { id: agent.id, name: agent.name, ...(version === undefined ? {} : { version }) }
  const profile = acpProfile(agent, { version, loads: session.agent.loads, offersModels: session.offersModels })
  const secrets = new Secrets(options.secrets)
  const slot = options.agentCallServer === undefined ? new TurnSlot() : new TurnSlot(1)
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
    const report = yield* program.close({ idle: live?.turn.isPlaying !== true })
    const stderrTail = program.stderrTail()
    return {
      ...report,
      ...(stderrTail === undefined ? {} : { stderrTail: safeText(secrets, stderrTail) }),
      diagnostics: diagnostics.all()
    }
  })))
  return { harness, profile, startTurn: start, close }
})
