/**
 * The program of an outside agent, started while the record is still being opened.
 *
 * Owns: which starts get a head start; ending a program that no Turn took.
 * Never owns: how a program is prepared (its adapter), what is said of one that cannot be used (application).
 * Ordering: begins once the home may be written and its configuration is known; the record is opened once a program of it runs, which
 * may be one that is only looked at, or none can.
 * Nothing of a Turn is sent before the Turn is on record.
 * Limits: only where nothing of the record is needed: for no repeat of an Operation, and for nobody who is to call the Run.
 */
import { IdMinter, type StartInput } from "@steno/contracts"
import type { Harness, PreparedHarness, PrepareError, PrepareOptions } from "@steno/harness-seam"
import { ProcessHost } from "@steno/process-host"
import { Deferred, Effect, Equal, Fiber } from "effect"
import { realpathSync, statSync } from "node:fs"
import type { OutsideAgents } from "./harnesses.ts"
import { installedAgents } from "./installed-agents.ts"
import type { RuntimeOptions } from "./runtime-layer.ts"

/** What is known of a start before the home is open. */
export interface WantedStart extends Pick<StartInput, "workspace"> {
  /** Absent: the one that the configuration names. */
  readonly harness: string | undefined
  readonly model: string | undefined
  readonly effort: string | undefined
  readonly approvals: StartInput["approvals"]
  readonly agentCalls: StartInput["agentCalls"]
  readonly operationId: string | undefined
}

/** Undefined where it is no folder. */
const folderOf = (workspace: string): string | undefined => {
  try {
    return statSync(workspace).isDirectory() ? realpathSync(workspace) : undefined
  } catch {
    return undefined
  }
}

const needsRecord = ({ agentCalls = "off", approvals, operationId }: WantedStart): boolean =>
  agentCalls !== "off" || approvals === "ask" || operationId !== undefined

const modelOf = ({ effort, model }: WantedStart): Pick<PrepareOptions, "model"> =>
  model === undefined ? {} : { model: { model, ...(effort === undefined ? {} : { effort }) } }

/**
 * Goes on with a preparation that was begun, for exactly what it was begun with; who gets it closes it. For anything else it is ended
 * first: both programs would have the mark of one Turn.
 */
export const beginPreparing = Effect.fnUntraced(function*({ prepare: prepareAnew }: Pick<Harness, "prepare">, asked: PrepareOptions) {
  const preparing = yield* Effect.forkScoped(prepareAnew(asked), { startImmediately: true })
  /** It was taken or ended. */
  let isOver = false
  const end = Effect.suspend(() => {
    if (isOver) return Effect.void
    isOver = true
    return Fiber.interrupt(preparing).pipe(
      Effect.andThen(Fiber.await(preparing)),
      Effect.flatMap((exit) => exit._tag === "Success" ? Effect.asVoid(exit.value.close) : Effect.void)
    )
  })
  yield* Effect.addFinalizer(() => end)
  const take = Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(Fiber.join(preparing)), () => Effect.sync(() => {
      isOver = true
    })))
  const prepare = (options: PrepareOptions): Effect.Effect<PreparedHarness, PrepareError> =>
    !isOver && Equal.equals(options, asked) ? take : Effect.andThen(end, prepareAnew(options))
  return { preparing, prepare }
})

/** The agents of the home, one of which may have begun. The scope ends with the home. */
export const headStart = Effect.fnUntraced(function*({ config = {}, environment, home }: RuntimeOptions, wanted: WantedStart) {
  const processHost = yield* ProcessHost
  const runs = Deferred.makeUnsafe<void>()
  const entries = yield* installedAgents({
    home,
    config,
    environment,
    processHost: { ...processHost, startProgram: (program) => Effect.ensuring(processHost.startProgram(program), Deferred.succeed(runs, undefined)) }
  })
  const id = wanted.harness ?? config.defaultHarness
  const entry = entries.find((one) => one.id === id)
  const workspace = folderOf(wanted.workspace)
  if (entry === undefined || workspace === undefined || needsRecord(wanted)) return { entries } satisfies OutsideAgents
  const turnId = yield* Effect.flatMap(IdMinter, (ids) => ids.mint("turn"))
  const { prepare, preparing } = yield* beginPreparing(entry.harness, { workspace, environment, turnId, secrets: [], ...modelOf(wanted) })
  yield* Effect.raceFirst(Deferred.await(runs), Fiber.await(preparing))
  let told = false
  const agents: OutsideAgents = {
    entries: entries.map((one) => one === entry ? { ...one, harness: { ...one.harness, prepare } } : one),
    begunTurn: (asked) => {
      if (asked !== entry.id || told) return
      told = true
      return turnId
    }
  }
  return agents
})
