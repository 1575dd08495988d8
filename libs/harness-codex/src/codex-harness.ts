/**
 * Codex as a harness behind the Seam.
 *
 * Owns: preparing it (program, version, schema, greeting), one thread over several Turns, closing it.
 * Never owns: a Turn (codex-drive), what a message means (codex-turn, codex-request).
 * Ordering: close → the live Turn settles → requests are answered → stdin ends → the program exits or is ended.
 * Limits: with a server for Agent calls one Turn per program, since its token ends with the Turn.
 */
import { harnessLimits } from "@steno/contracts"
import {
  type CloseReport,
  Diagnostics,
  type Harness,
  HarnessAuthRequired,
  HarnessProbeFailed,
  HarnessTimedOut,
  type PreparedHarness,
  PrepareError,
  type PrepareOptions,
  safeText,
  Secrets,
  startTurn,
  type TurnHandle,
  TurnSlot
} from "@steno/harness-seam"
import type { ProcessHost, RunningProgram, ShellExit } from "@steno/process-host"
import { Effect, Fiber, Schema } from "effect"
import { CodexConnection, endWords } from "./codex-connection.ts"
import { CodexDrive } from "./codex-drive.ts"
import { appServerArguments, greeting, threadConfig } from "./codex-launch.ts"
import { codexProfile } from "./codex-profile.ts"
import { CodexSession } from "./codex-session.ts"
import { type CodexProbes, type CodexQualification, qualifyCodex } from "./codex-qualification.ts"

export interface QualifiedCodex {
  readonly processes: ProcessHost["Service"]
  /** Which program is used, and what it can do; fails with a remedy. */
  readonly qualify: (options: PrepareOptions) => Effect.Effect<CodexQualification, PrepareError>
  /** Words that go before its arguments; default none. */
  readonly words?: ReadonlyArray<string>
}

const harnessId = { id: "codex", name: "Codex" } as const

const unanswered = () =>
  new PrepareError({
    reason: new HarnessTimedOut({
      explanation: "Codex did not answer its greeting in time",
      remedy: "Try again; if it stays so, run `codex app-server` by hand and look at what it says."
    })
  })

const loggedOut = () =>
  new PrepareError({
    reason: new HarnessAuthRequired({
      explanation: "Codex is not logged in, and its model provider wants it",
      remedy: "Log in with `codex login`, or name another model provider in `~/.codex/config.toml`."
    })
  })

const isLoggedOut = Schema.is(Schema.Struct({
  requiresOpenaiAuth: Schema.Literal(true),
  account: Schema.optionalKey(Schema.Null)
}))

const failed = (explanation: string) =>
  new PrepareError({
    reason: new HarnessProbeFailed({ explanation, remedy: "Look at the settings in `~/.codex/config.toml`, or install a current Codex." })
  })

const exitOf = (exit: ShellExit): NonNullable<CloseReport["exit"]> =>
  exit.kind === "exited" ? { code: exit.code } : { signal: exit.signal }

const colours = /\u001b\[[0-9;]*m/g

/** The last line of stderr says why a program did not start. */
const lastWords = (stderr = ""): string => stderr.replace(colours, "").trim().split("\n").at(-1)?.slice(0, 200) ?? ""

/** Answered in time, or a reason why the program cannot be used. */
const answered = Effect.fnUntraced(function*(connection: CodexConnection, method: string, params: object) {
  const answer = yield* connection.request(method, params).pipe(Effect.timeoutOption(harnessLimits.probeMs))
  if (answer._tag === "None") return yield* Effect.fail(unanswered())
  if (answer.value.kind !== "ended") return answer.value
  const words = [endWords(answer.value.end), lastWords(connection.stderrTail)]
  return yield* Effect.fail(failed(words.filter((said) => said !== "").join(": ")))
})

const greet = Effect.fnUntraced(function*(connection: CodexConnection) {
  const greeted = yield* answered(connection, "initialize", greeting)
  if (greeted.kind === "refusal") return yield* Effect.fail(failed(`Codex refused its greeting: ${greeted.message}`))
  connection.notify("initialized", {})
  const account = yield* answered(connection, "account/read", {})
  if (account.kind === "answer" && isLoggedOut(account.result)) return yield* Effect.fail(loggedOut())
})

/** As `makeCodexHarness`, for a Codex that was looked at by other means. */
export const makeCodexHarnessOver = (options: QualifiedCodex): Harness => ({
  ...harnessId,
  profile: codexProfile,
  prepare: Effect.fn("CodexHarness.prepare")(function*(asked) {
    const qualification = yield* options.qualify(asked)
    const diagnostics = new Diagnostics()
    const started = options.processes.startProgram({
      path: qualification.path,
      arguments: [...options.words ?? [], ...appServerArguments],
      cwd: asked.workspace,
      marker: { name: "STENO_TURN_ID", value: asked.turnId },
      environment: asked.environment
    }).pipe(Effect.mapError(({ message }) => failed(message)))
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const program = yield* started
        const connection = yield* CodexConnection.over(program, diagnostics)
        yield* restore(greet(connection)).pipe(Effect.onError(() => end(program)))
        return yield* prepared(asked, connection, diagnostics, qualification)
      })
    )
  })
})

/** Each prepared harness is one program with one thread. */
export const makeCodexHarness = (options: CodexProbes): Harness =>
  makeCodexHarnessOver({ processes: options.processes, qualify: qualifyCodex(options), words: options.command?.slice(1) ?? [] })

const end = (program: RunningProgram) =>
  Effect.andThen(program.terminate({ grace: false }), program.release)

const prepared = Effect.fnUntraced(function*(
  asked: PrepareOptions,
  connection: CodexConnection,
  diagnostics: Diagnostics,
  { profile, version }: CodexQualification
) {
  const harness = { ...harnessId, version }
  const session = new CodexSession(connection, {
    workspace: asked.workspace,
    coordinate: asked.coordinate,
    model: asked.model,
    config: threadConfig(asked.agentCallServer)
  })
  /** Codex starts the server of Agent calls with the thread, and the Turn serves it; a thread that exists is for whoever takes its Run. */
  if (asked.agentCallServer === undefined && asked.coordinate === undefined) yield* session.askAhead
  const slot = asked.agentCallServer === undefined ? new TurnSlot() : new TurnSlot(1)
  const secrets = new Secrets(asked.secrets)
  let live: TurnHandle | undefined

  const start: PreparedHarness["startTurn"] = Effect.fnUntraced(function*(request, host) {
    const drive = new CodexDrive(session, request, diagnostics)
    const handle = yield* startTurn({
      harness,
      host,
      secrets,
      diagnostics,
      profile,
      slot,
      drive: drive.run,
      controls: () => drive.native
    })
    live = handle
    return handle
  })

  const closing = yield* Effect.cached(Effect.forkDetach(closed({ session, slot, diagnostics, secrets, live: () => live })))
  const close = Effect.flatMap(closing, Fiber.join)
  return { harness, profile, startTurn: start, close } satisfies PreparedHarness
})

interface Closing {
  readonly session: CodexSession
  readonly slot: TurnSlot
  readonly diagnostics: Diagnostics
  readonly secrets: Secrets
  readonly live: () => TurnHandle | undefined
}

const closed = Effect.fnUntraced(function*({ diagnostics, live, secrets, session, slot }: Closing) {
  const { connection } = session
  const { program } = connection
  slot.close()
  session.close()
  const turn = live()
  if (turn !== undefined) yield* turn.result
  yield* session.answered
  yield* connection.closeInput
  yield* Effect.timeoutOption(program.exited, harnessLimits.interruptStopMs)
  const ending = yield* program.terminate({ grace: true })
  const exit = yield* Effect.timeoutOption(program.exited, harnessLimits.interruptStopMs)
  yield* program.release
  const { stderrTail } = connection
  return {
    ...(exit._tag === "None" ? {} : { exit: exitOf(exit.value) }),
    survivors: ending.kind === "confirmed" ? [] : ending.left,
    diagnostics: diagnostics.all(),
    ...(stderrTail === undefined ? {} : { stderrTail: safeText(secrets, stderrTail) })
  } satisfies CloseReport
})
