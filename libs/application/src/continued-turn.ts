/** What the record of a Run says to whoever plays its Turns on; pure. */
import type { StartInput, TurnId } from "@steno/contracts"
import type { RunRecord } from "@steno/ledger"
import type { ContinuedTurn } from "./harness-turns.ts"
import type { SentSteer } from "./turn-recording.ts"

type Facts = Pick<RunRecord, "events" | "unfinished">

const placesOf = ({ events, unfinished }: Facts, turnId: TurnId): ReadonlyArray<number> => [
  ...events.flatMap((event) => {
    if (event.turnId !== turnId) return []
    const blocks = event.type === "assistant-message" ? event.payload.blocks.map(({ firstSeen }) => firstSeen) : []
    return [...(event.firstSeen === undefined ? [] : [event.firstSeen]), ...blocks]
  }),
  ...unfinished.filter((row) => row.turnId === turnId).map(({ firstSeen }) => firstSeen)
]

/** Steers of the Turn of which nothing but their waiting is on record, in the order in which they were sent. */
const waitingSteers = ({ events }: Facts, turnId: TurnId): ReadonlyArray<SentSteer> => {
  const waiting = new Map<string, SentSteer>()
  const settled = new Set<string>()
  for (const event of events) {
    if (event.type !== "steer" || event.turnId !== turnId) continue
    const { sentAt, settlement, steerId, text } = event.payload
    if (settlement.state === "waiting") waiting.set(steerId, { steerId, text, sentAt })
    else settled.add(steerId)
  }
  return [...waiting.values()].filter(({ steerId }) => !settled.has(steerId))
}

export const continuedTurn = (facts: Facts, turnId: TurnId): ContinuedTurn => ({
  firstPlace: 1 + Math.max(-1, ...placesOf(facts, turnId)),
  steers: waitingSteers(facts, turnId)
})

/** The model that the Turn, else the newest one of which it is known, was asked of; the Run's own settings where none is. */
export const wantedModel = ({ events }: Facts, start: StartInput, turnId?: TurnId): StartInput => {
  const admitted = events.findLast((event) =>
    event.type === "turn-admitted" && (turnId === undefined || event.turnId === turnId) && event.payload.requestedModel !== undefined
  )
  if (admitted?.type !== "turn-admitted") return start
  const { effort: _, ...rest } = start
  const { requestedEffort, requestedModel } = admitted.payload
  return {
    ...rest,
    ...(requestedModel === undefined ? {} : { model: requestedModel }),
    ...(requestedEffort === undefined ? {} : { effort: requestedEffort })
  }
}
