/**
 * Claude Code as a harness behind the Seam.
 *
 * Owns: preparing: find, start, shake hands, qualify; closing with the process tree.
 * Never owns: a Turn (turn-drive), what a version can do (qualification).
 * Ordering: the handshake is answered before a Turn can start; nothing of a Turn is sent before.
 * Limits: with a server for Agent calls, which ends with its Turn, the program plays that Turn alone.
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
import { Effect, Schema } from "effect"
import { agentCallServerName, giveAgentCallServer } from "./agent-call-server.ts"
import { ClaudeConnection, endFailure } from "./claude-connection.ts"
import { askVersion, findProgram, launchProgram, programArguments, specOf, withinProbe } from "./claude-program.ts"
import { ClaudeSession } from "./claude-session.ts"
import { type Fields, textAt } from "./frame-fields.ts"
import { type Qualification, qualify, recordedProfile } from "./qualification.ts"
import { TurnDrive } from "./turn-drive.ts"

export interface ClaudeCodeHarnessOptions {
  readonly processHost: ProcessHost["Service"]
  /** A path, or a name that is looked for in the person's PATH, and words that go before Steno's arguments. Default: `claude`. */
  readonly command?: readonly [program: string, ...words: ReadonlyArray<string>]
  /** Which file is started; fails with a remedy. Default: looked for by the command's program. */
  readonly find?: (options: PrepareOptions) => Effect.Effect<string, PrepareError>
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
          : { kind: "failed", failure: turnFailure("protocol", "It refused the handshake") })
      }
    ),
    Effect.map(connection.ended, (end): Handshake => ({ kind: "failed", failure: endFailure(end) }))
  )

const fail = (reason: PrepareError["reason"]) => Effect.fail(new PrepareError({ reason }))

/** The answer tells the version; older programs are asked. */
const qualified = Effect.fnUntraced(function*(
  host: ProcessHost["Service"],
  path: string,
  asked: PrepareOptions,
  words: ReadonlyArray<string>,
  handshake: Handshake
) {
  const told = handshake.kind === "answered" ? textAt(handshake.response, "claude_code_version") : undefined
  const version = told ?? (yield* askVersion(host, path, asked, words))
  const qualification = qualify(version, handshake.kind === "answered" ? handshake.response : undefined)
  return qualification.kind === "qualified" ? qualification : yield* fail(qualification.reason)
})

/** A program that ends while it reattaches has lost the native session: its Turn does not start. */
const attached = (session: ClaudeSession, asked: PrepareOptions, handshake: Handshake): Effect.Effect<void, PrepareError> => {
  if (handshake.kind === "answered") return Effect.sync(() => session.loaded())
  const { reason, text } = handshake.failure
  if (asked.coordinate === undefined || reason !== "process-exited") {
    return fail(new HarnessProbeFailed({
      explanation: `${name} could not be spoken to: ${text}`,
      remedy: "Run `claude doctor`, or reinstall Claude Code."
    }))
  }
  return Effect.sync(() => {
    session.gone = turnFailure("native", `The native session could not be reattached to. ${text}`)
  })
}

const prepare = ({ command: [wanted, ...words] = ["claude"], find, processHost }: ClaudeCodeHarnessOptions) =>
  Effect.fnUntraced(function*(asked: PrepareOptions) {
    const path = yield* find === undefined ? findProgram(processHost, wanted, asked) : find(asked)
    const diagnostics = new Diagnostics()
    if (asked.model?.effort !== undefined) diagnostics.note("effort-ignored", "The program is told no effort")
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const program = yield* launchProgram(processHost, specOf(path, asked, [...words, ...programArguments(asked)]))
        const connection = new ClaudeConnection(program, diagnostics)
        yield* Effect.forkDetach(connection.watch, { startImmediately: true })
        const session = new ClaudeSession({
          connection,
          diagnostics,
          ...(asked.coordinate === undefined ? {} : { coordinate: asked.coordinate }),
          ...(asked.model === undefined ? {} : { model: asked.model.model })
        })
        const ready = Effect.gen(function*() {
          const handshake = yield* withinProbe("the handshake", shakeHands(connection))
          const qualification = yield* qualified(processHost, path, asked, words, handshake)
          yield* attached(session, asked, handshake)
          if (asked.agentCallServer !== undefined) yield* giveAgentCallServer(connection, asked.agentCallServer, diagnostics)
          return yield* preparedHarness({ session, asked, qualification, diagnostics })
        })
        return yield* Effect.onError(restore(ready), () => Effect.andThen(program.terminate({ grace: false }), program.release))
      })
    )
  })

interface Ready {
  readonly session: ClaudeSession
  readonly asked: PrepareOptions
  readonly qualification: Extract<Qualification, { readonly kind: "qualified" }>
  readonly diagnostics: Diagnostics
}

const preparedHarness = Effect.fnUntraced(function*({ asked, diagnostics, qualification, session }: Ready) {
  const harness = { id, name, version: qualification.version }
  const { profile } = qualification
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
    const { connection, playing } = session
    slot.close()
    session.close()
    if (live !== undefined) yield* live.result
    yield* session.answered
    connection.closeInput()
    if (!playing) yield* Effect.timeoutOption(connection.ended, harnessLimits.interruptStopMs)
    const ending = yield* connection.terminate({ grace: true })
    yield* Effect.timeoutOption(connection.ended, harnessLimits.exitSettleMs)
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

/** Of a program that can be used; kept with the file, it tells by `qualify` what the same file can do. */
export const ClaudeCodeFinding = Schema.Struct({ version: Schema.String })
export type ClaudeCodeFinding = typeof ClaudeCodeFinding.Type

/** Starts the file at `path` and shakes hands; asks no model. Nothing of it runs when it is done. */
export const probeClaudeCode = (
  options: Omit<ClaudeCodeHarnessOptions, "find">,
  path: string,
  asked: PrepareOptions
): Effect.Effect<ClaudeCodeFinding, PrepareError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(prepare({ ...options, find: () => Effect.succeed(path) })(asked)), ({ close, harness: { version } }) =>
      Effect.as(close, { version })))
