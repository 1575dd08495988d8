/**
 * What can be done with a Run now.
 *
 * Owns: which Operations are offered, and why one is not; pure.
 * Never owns: applying one (run-control): an offer may be outdated when it is taken.
 */
import { type ActionOffer, type PendingInteraction, type RunId, suspendedOn, type TurnId } from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"
import { commandHarness } from "./harness-preparation.ts"
import type { Ownership } from "./ownership.ts"
import { outlivesOwner } from "./recorded-calls.ts"
import { abandonedRunState } from "./turn-rules.ts"

type Offer = typeof ActionOffer.Type
type Operation = "answer" | "send" | "steer" | "interrupt" | "resume" | "end" | "cancel"

export interface OfferFacts {
  readonly record: RunRecord
  readonly ownership: Ownership
  readonly pending: ReadonlyArray<PendingInteraction>
}

/** Undefined: nothing speaks against it. */
type Against = string | undefined

const isLive = ({ ownership }: OfferFacts): boolean => ownership === "here" || ownership === "elsewhere"

const stateOf = ({ ownership, record }: OfferFacts) => ownership === "abandoned" ? abandonedRunState(record) : record.run.state

/** A Turn that rests because only people can go on with it. */
const restingTurn = ({ record }: OfferFacts): TurnId | undefined =>
  record.turns.find(({ result, turnId }) =>
    result === undefined && record.unfinished.some((row) => row.turnId === turnId && outlivesOwner(row)))?.turnId

const liveTurn = (facts: OfferFacts): TurnId | undefined =>
  isLive(facts) ? facts.record.turns.find(({ result }) => result === undefined)?.turnId : undefined

const direct = "It is a Run of direct commands."
const live = "A Turn is live."
const cancelled = "The Run is cancelled."
const waits = "It waits for an answer."

const isDirect = ({ record }: OfferFacts): boolean => record.run.harness.id === commandHarness

const againstTurn = (facts: OfferFacts): Against =>
  isDirect(facts) ? direct : stateOf(facts) === "cancelled" ? cancelled : isLive(facts) ? live : undefined

/** No Session of the Run takes a further Turn. */
const isGone = ({ record }: OfferFacts): boolean => record.sessions.every(({ availability }) => availability === "ended")

const againstFurther = (facts: OfferFacts): Against =>
  againstTurn(facts) ?? (isGone(facts) ? "The conversation with its agent is gone." : undefined)

const hasOpenAnswer = ({ pending }: OfferFacts): boolean => pending.some(({ answered }) => answered !== true)

const against: Readonly<Record<Operation, (facts: OfferFacts) => Against>> = {
  answer: (facts) => hasOpenAnswer(facts) ? undefined : "Nothing waits for an answer.",
  send: (facts) => againstFurther(facts) ?? (facts.pending.length > 0 ? waits : undefined),
  steer: (facts) => isDirect(facts) ? direct : liveTurn(facts) === undefined ? "No Turn is live." : undefined,
  interrupt: (facts) => (liveTurn(facts) ?? restingTurn(facts)) === undefined ? "No Turn is live." : undefined,
  resume: (facts) => againstFurther(facts) ?? (hasStoredAnswer(facts) || facts.pending.length === 0 ? undefined : waits),
  end: (facts) =>
    againstTurn(facts) ??
      (facts.record.run.kind !== "interactive"
        ? "It is not interactive."
        : facts.pending.length > 0
        ? waits
        : stateOf(facts) === "succeeded" || stateOf(facts) === "failed"
        ? "It has ended."
        : undefined),
  cancel: (facts) => stateOf(facts) === "cancelled" ? cancelled : undefined
}

const hasStoredAnswer = ({ record }: OfferFacts): boolean =>
  record.unfinished.some((row) => suspendedOn(row)?.resolution !== undefined)

const offer = (runId: RunId, operation: Operation, reason: Against, more: Partial<Offer> = {}): Offer => ({
  operation,
  runId,
  ...more,
  available: reason === undefined,
  ...(reason === undefined ? {} : { reason })
})

/** One per Operation; one `answer` per call or review that waits. */
export const actionOffers = (facts: OfferFacts): ReadonlyArray<Offer> => {
  const { pending, record: { run: { runId } } } = facts
  const turnId = liveTurn(facts) ?? restingTurn(facts)
  const ofTurn = turnId === undefined ? {} : { turnId }
  const answers = pending.filter(({ answered }) => answered !== true).map(({ callId, requestId = callId, turnId: asking }) =>
    offer(runId, "answer", undefined, {
      ...(asking === undefined ? {} : { turnId: asking }),
      ...(requestId === undefined ? {} : { requestId })
    }))
  return [
    ...(answers.length > 0 ? answers : [offer(runId, "answer", against.answer(facts))]),
    offer(runId, "send", against.send(facts)),
    offer(runId, "steer", against.steer(facts), ofTurn),
    offer(runId, "interrupt", against.interrupt(facts), ofTurn),
    offer(runId, "resume", against.resume(facts)),
    offer(runId, "end", against.end(facts)),
    offer(runId, "cancel", against.cancel(facts))
  ]
}
