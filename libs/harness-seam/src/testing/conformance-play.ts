/**
 * Playing a scenario against a harness, for the conformance suite.
 *
 * Owns: preparing, playing one Turn, which claims a harness is held to.
 */
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { describe } from "vitest"
import type { PreparedHarness, PrepareOptions, TurnHandle, TurnRequest } from "../harness.ts"
import type { ItemId } from "../item-id.ts"
import type { TurnEvent, TurnEventOf } from "../turn-event.ts"
import type { RequestAnswer } from "../turn-host.ts"
import type { TurnResult } from "../turn-result.ts"
import { conformanceScenarios, type ScenarioName } from "./conformance-scenarios.ts"
import type { ConformanceSubject, HarnessMaker } from "./conformance-subject.ts"
import { makeRecordingTurnHost, type RecordingAnswers, type RecordingTurnHost } from "./recording-turn-host.ts"
import { prepareOptions, turnRequest } from "./seam-values.ts"

export const ofType = <Type extends TurnEvent["type"]>(events: ReadonlyArray<TurnEvent>, type: Type) =>
  events.filter((event): event is TurnEventOf<Type> => event.type === type)

interface SettledText {
  readonly kind: "message" | "thought"
  readonly id: ItemId
  readonly content: string
}

/** Messages and Thoughts that settled, in order: told as events, or proposed by a loop. */
export const settledTexts = (host: RecordingTurnHost) =>
  host.journal.flatMap((entry): ReadonlyArray<SettledText> => {
    if (entry.kind === "event" && entry.event.type === "assistant-content") {
      return [{ kind: "message", id: entry.event.messageId, content: entry.event.content }]
    }
    if (entry.kind === "event" && entry.event.type === "thought") {
      return [{ kind: "thought", id: entry.event.summaryId, content: entry.event.content }]
    }
    return entry.kind !== "propose" ? [] : entry.message.blocks.flatMap((block): ReadonlyArray<SettledText> => {
      if (block.type === "text") return [{ kind: "message", id: block.messageId, content: block.content }]
      return block.type === "call" ? [] : [{ kind: "thought", id: block.summaryId, content: block.content }]
    })
  })

export const contents = (host: RecordingTurnHost) =>
  settledTexts(host).flatMap(({ content, kind }) => (kind === "message" ? [content] : []))

/** The host of one Turn; `answers` go before those of the subject. */
export const hostOf = (subject: ConformanceSubject, answers: RecordingAnswers = {}, request: TurnRequest = turnRequest()) =>
  makeRecordingTurnHost({ ...subject.answers?.(request), ...answers })

/** Resolves when a call of the Turn is under way. */
export const callRuns = (handle: TurnHandle, host: RecordingTurnHost) =>
  Effect.raceFirst(host.proposed, seen(handle, ({ type }) => type === "tool-call-started"))

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
    readonly meanwhile?: (handle: TurnHandle, host: RecordingTurnHost) => Effect.Effect<unknown>
  } = {}
) =>
  Effect.gen(function*() {
    const { prepared, subject } = yield* prepare(maker, scenario, options.prepare)
    const request = turnRequest(options.request)
    const host = hostOf(subject, options.answers, request)
    const handle = yield* prepared.startTurn(request, host)
    const following = host.follow(handle)
    const [result] = yield* Effect.all([following, options.meanwhile?.(handle, host) ?? Effect.void], {
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
  const { needs, optional, program } = conformanceScenarios[scenario]
  if (program === true && maker.loop === true) return false
  if (optional === true) return maker.optional.includes(scenario)
  return needs === undefined || maker.profile[needs].state !== "unsupported"
}

export type Claim = (
  scenario: ScenarioName,
  title: string,
  test: () => Effect.Effect<unknown, never, Scope.Scope>
) => void

/** A group of claims about scenarios; those that the harness does not play are not made, nor is a group without claims. */
export const describeClaims = (maker: HarnessMaker, title: string, define: (claim: Claim) => void): void => {
  const made: Array<() => void> = []
  define((scenario, words, test) => {
    if (plays(maker, scenario)) made.push(() => it.live(`${words} [${scenario}]`, () => Effect.scoped(test())))
  })
  if (made.length > 0) describe(title, () => made.forEach((make) => make()))
}
