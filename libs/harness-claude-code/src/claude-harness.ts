/**
 * Claude Code as a harness behind the Seam.
 *
 * Owns: preparing: find, ask the version, start, shake hands; closing with the process tree.
 * Never owns: a Turn (turn-drive), what a version can do (qualification).
 * Ordering: the handshake is answered before a Turn can start; nothing of a Turn is sent before.
 * Limits: with a server for Agent calls the program, which reads its servers only at its start, plays one Turn.
 */
import { harnessLimits } from "@steno/contracts"
import {
  type CloseReport,
  Diagnostics,
  type Harness,
  HarnessProbeFailed,
  type PreparedHarness,
  PrepareError,
  type PrepareOptions,
  Secrets,
  safeText,
  startTurn,
  type TurnFailure,
  turnFailure,
  type TurnHandle,
  TurnSlot
} from "@steno/harness-seam"
import type { ProcessHost } from "@steno/process-host"
import { Effect } from "effect"
import { ClaudeConnection } from "./claude-connection.ts"
import { agentCallServerName, askVersion, findProgram, launchProgram, programArguments, specOf, withinProbe } from "./claude-program.ts"
import { ClaudeSession } from "./claude-session.ts"
import { none, type Fields } from "./frame-fields.ts"
import { qualify, recordedProfile } from "./qualification.ts"
import { programFailure, TurnDrive } from "./turn-drive.ts"

export interface ClaudeCodeHarnessOptions {
  readonly processHost: ProcessHost["Service"]
  /** A path, or a name that is looked for in the person's PATH. Default: `claude`. */
  readonly program?: string
}

const id = "claude-code"
const name = "Claude Code"

type Handshake =
  | { readonly kind: "answered"; readonly response: Fields }
  | { readonly kind: "failed"; readonly failure: TurnFailure }

const shakeHands = (connection: ClaudeConnection): Effect.Effect<Handshake> =>
  Effect.raceFirst(
    Effect.flatMap(
      Effect.suspend(() => connection.control({ subtype: "initialize" })),
      (answer): Effect.Effect<Handshake> => {
        if (answer.kind === "gone") return Effect.never
        return Effect.succeed(answer.kind === "answered"
          ? { kind: "answered", response: answer.response }
          : { kind: "failed", failure: turnFailure("protocol", "The program refused the handshake") })
      }
    ),
    Effect.map(connection.ended, (end): Handshake => ({ kind: "failed", failure: programFailure(end) }))
  )

const probeFailed = (explanation: string) =>
  new PrepareError({ reason: new HarnessProbeFailed({ explanation, remedy: "Run `claude doctor`, or reinstall Claude Code." }) })

/** A program that ends while it reattaches has lost the native session: its Turn does not start. */
const shaken = (session: ClaudeSession, options: PrepareOptions, handshake: Handshake): Effect.Effect<Fields, PrepareError> => {
  if (handshake.kind === "answered") {
    session.loaded()
    return Effect.succeed(handshake.response)
  }
  if (options.coordinate === undefined || handshake.failure.reason !== "process-exited") {
    return Effect.fail(probeFailed(`${name} could not be spoken to: ${handshake.failure.text}`))
  }
  session.gone = turnFailure("native", `The native session could not be reattached to. ${handshake.failure.text}`)
  return Effect.succeed(none)
}

const prepare = (options: ClaudeCodeHarnessOptions) =>
  Effect.fnUntraced(function*(asked: PrepareOptions) {
    const { processHost } = options
    const path = yield* findProgram(processHost, options.program ?? "claude", asked)
    const version = yield* askVersion(processHost, path, asked)
    const known = qualify(version)
    if (known.kind === "unavailable") return yield* Effect.fail(new PrepareError({ reason: known.reason }))
    const diagnostics = new Diagnostics()
    if (asked.model?.effort !== undefined) diagnostics.note("effort-ignored", "The program is told no effort")
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const program = yield* launchProgram(processHost, specOf(path, asked, programArguments(asked)))
        const connection = new ClaudeConnection(program, diagnostics)
        yield* Effect.forkDetach(connection.watch, { startImmediately: true })
        const session = new ClaudeSession({
          connection,
          diagnostics,
          ...(asked.coordinate === undefined ? {} : { coordinate: asked.coordinate }),
          ...(asked.model === undefined ? {} : { model: asked.model.model })
        })
        const shake = Effect.flatMap(shakeHands(connection), (handshake) => shaken(session, asked, handshake))
        const answer = yield* withinProbe("the handshake", program, restore(shake))
        const qualified = session.gone === undefined ? qualify(version, answer) : known
        if (qualified.kind === "unavailable") {
          yield* Effect.andThen(program.terminate({ grace: false }), program.release)
          return yield* Effect.fail(new PrepareError({ reason: qualified.reason }))
        }
        return yield* preparedHarness({ session, asked, qualified, diagnostics })
      })
    )
  })

interface Ready {
  readonly session: ClaudeSession
  readonly asked: PrepareOptions
  readonly qualified: Extract<ReturnType<typeof qualify>, { readonly kind: "qualified" }>
  readonly diagnostics: Diagnostics
}

const preparedHarness = Effect.fnUntraced(function*({ asked, diagnostics, qualified, session }: Ready) {
  const harness = { id, name, version: qualified.version }
  const { profile } = qualified
  const onlyTurn = asked.agentCallServer !== undefined
  const slot = onlyTurn ? new TurnSlot(1) : new TurnSlot()
  const secrets = new Secrets(asked.secrets)
  let live: TurnHandle | undefined

  const start: PreparedHarness["startTurn"] = Effect.fnUntraced(function*(request, host) {
    const drive = new TurnDrive({
      session,
      request,
      lastOfProgram: onlyTurn,
      ...(onlyTurn ? { agentCallServer: agentCallServerName } : {})
    })
    const handle = yield* startTurn({
      harness,
      host,
      secrets,
      diagnostics,
      profile,
      slot,
      drive: drive.play,
      controls: () => drive.controls
    })
    live = handle
    return handle
  })

  const close = yield* Effect.cached(Effect.gen(function*() {
    const { connection } = session
    slot.close()
    if (live === undefined || (yield* Effect.timeoutOption(live.result, 0))._tag === "Some") {
      yield* session.answered
      connection.closeInput()
      yield* Effect.timeoutOption(connection.ended, harnessLimits.interruptStopMs)
    }
    const ending = yield* connection.terminate({ grace: true })
    yield* connection.ended
    if (live !== undefined) yield* live.result
    yield* connection.release
    return closeReport(session, secrets, ending.kind === "confirmed" ? [] : ending.left)
  }))
  return { harness, profile, startTurn: start, close: Effect.uninterruptible(close) } satisfies PreparedHarness
})

const closeReport = (session: ClaudeSession, secrets: Secrets, survivors: CloseReport["survivors"]): CloseReport => {
  const { connection, diagnostics } = session
  const { exit } = connection
  const stderrTail = safeText(secrets, connection.stderrTail)
  return {
    ...(exit === undefined ? {} : { exit: exit.kind === "exited" ? { code: exit.code } : { signal: exit.signal } }),
    survivors,
    diagnostics: diagnostics.all(),
    ...(stderrTail === "" ? {} : { stderrTail })
  }
}

/** `claude`, spoken to over stream-json; one program serves the Turns of one Session. */
export const makeClaudeCodeHarness = (options: ClaudeCodeHarnessOptions): Harness => ({
  id,
  name,
  profile: recordedProfile,
  prepare: prepare(options)
})
