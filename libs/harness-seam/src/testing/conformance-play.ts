/**
 * Playing a scenario against a harness, for the conformance suite.
 *
 * Owns: preparing, playing one Turn, which claims a harness is held to.
 */
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { PreparedHarness, PrepareOptions, TurnHandle, TurnRequest } from "../harness.ts"
import type { TurnEvent, TurnEventOf } from "../turn-event.ts"
import type { RequestAnswer } from "../turn-host.ts"
import type { TurnResult } from "../turn-result.ts"
import { conformanceScenarios, type ScenarioName } from "./conformance-scenarios.ts"
import type { ConformanceSubject, HarnessMaker } from "./conformance-subject.ts"
import { makeRecordingTurnHost, type RecordingAnswers, type RecordingTurnHost } from "./recording-turn-host.ts"
import { prepareOptions, turnRequest } from "./seam-values.ts"

export const ofType = <Type extends TurnEvent["type"]>(events: ReadonlyArray<TurnEvent>, type: Type) =>
  events.filter((event): event is TurnEventOf<Type> => event.type === type)

export const contents = (events: ReadonlyArray<TurnEvent>) => ofType(events, "assistant-content").map(({ content }) => content)

interface Played {
  readonly subject: ConformanceSubject
  readonly prepared: PreparedHarness
  readonly host: RecordingTurnHost
  readonly result: TurnResult
  readonly handle: TurnHandle
}

/** A prepared harness that is closed with the test. */
export const prepare = (maker: HarnessMaker, scenario: ScenarioName, options: Partial<PrepareOptions> = {}) =>
  Effect.gen(function*() {
    const subject = yield* maker.make(scenario)
    const prepared = yield* Effect.acquireRelease(
      Effect.orDie(subject.harness.prepare(prepareOptions(options))),
      (ready) => ready.close
    )
    return { subject, prepared }
  })

/** Plays one Turn to its result; `meanwhile` has the handle while the Turn is live. */
export const play = (
  maker: HarnessMaker,
  scenario: ScenarioName,
  options: {
    readonly answers?: RecordingAnswers
    readonly prepare?: Partial<PrepareOptions>
    readonly request?: Partial<TurnRequest>
    readonly meanwhile?: (handle: TurnHandle) => Effect.Effect<unknown>
  } = {}
) =>
  Effect.gen(function*() {
    const { prepared, subject } = yield* prepare(maker, scenario, options.prepare)
    const host = makeRecordingTurnHost(options.answers)
    const handle = yield* prepared.startTurn(turnRequest(options.request), host)
    const following = host.follow(handle)
    const [result] = yield* Effect.all([following, options.meanwhile?.(handle) ?? Effect.void], {
      concurrency: "unbounded"
    })
    return { subject, prepared, host, result, handle } satisfies Played
  })

/** Resolves with the first event that `fits`, also one that is past. */
export const seen = (handle: TurnHandle, fits: (event: TurnEvent) => boolean) =>
  Effect.callback<void>((resume) => {
    const stop = handle.subscribe((event) => {
      if (fits(event)) resume(Effect.void)
    })
    return Effect.sync(stop)
  })

/** The answer of a person. */
export const answer = (decision: string): Effect.Effect<RequestAnswer> =>
  Effect.succeed({ kind: "answered", decision, by: "person" })

const plays = (maker: HarnessMaker, scenario: ScenarioName): boolean => {
  const { needs, optional } = conformanceScenarios[scenario]
  if (optional === true) return maker.optional.includes(scenario)
  return needs === undefined || maker.profile[needs].state !== "unsupported"
}

export type Claim = (
  scenario: ScenarioName,
  title: string,
  test: () => Effect.Effect<unknown, never, Scope.Scope>
) => void

/** One claim about one scenario; not made where the harness does not play it. */
export const claimsOf = (maker: HarnessMaker): Claim => (scenario, title, test) => {
  if (plays(maker, scenario)) it.live(`${title} [${scenario}]`, () => Effect.scoped(test()))
}
