/**
 * The input of the Turn that `run resume` starts.
 *
 * Owns: its words; pure.
 * Limits: it says what is on record, names calls by what they were asked, and quotes no output.
 */
import { callInput } from "@steno/history-projection"
import type { RunRecord } from "@steno/ledger"
import { recordedCalls } from "./recorded-calls.ts"

const words = {
  "completed": "was completed",
  "failed": "failed",
  "interrupted": "was interrupted",
  "lost": "was lost: the process that drove it is gone",
  "not-started": "could not start"
} as const

/** The first line of what a call was asked, so that the model finds it in what it sees. */
const firstLine = (text: string): string => {
  const [line = ""] = text.split("\n", 1)
  const characters = Array.from(line)
  return characters.length > 200 ? `${characters.slice(0, 200).join("")}…` : line
}

export const resumeInput = (record: RunRecord): string => {
  const last = record.turns.at(-1)
  const detail = record.events.findLast((event) => event.type === "turn-settled" && event.turnId === last?.turnId)
  const how = last?.result === undefined ? "is over" : words[last.result]
  const why = detail?.type === "turn-settled" && detail.payload.detail !== undefined ? ` (${detail.payload.detail})` : ""
  const uncertain = recordedCalls(record).filter(({ response, turnId }) =>
    turnId === last?.turnId && response?.outcome === "indeterminate")
  return [
    `The last Turn ${how}${why}. Go on with the work.`,
    ...(uncertain.length === 0 ? [] : [
      "Nobody knows whether these calls took effect; look before you repeat one:",
      ...uncertain.map((call) => `- ${call.tool}: ${firstLine(callInput(call) ?? "(what it was asked cannot be read)")}`)
    ])
  ].join("\n")
}

export const reviewedInput = (call: string): string =>
  `A person looked at your call of ${call} and wants the work to go on.`
