/**
 * Decides whether `run read` reads a call or a transcript.
 *
 * Owns: which of its options exclude each other.
 * Limits: pure; ranges of numbers are checked later, because they are Problems of their own.
 */
import { Result } from "effect"
import { WrongUsage } from "./wrong-usage.ts"

export const readPath = ["steno", "run", "read"]

/** Which options were typed. */
export interface TypedOptions {
  readonly call: boolean
  readonly transcript: boolean
  readonly cursor: boolean
  readonly stream: boolean
  readonly offset: boolean
  readonly limit: boolean
  readonly raw: boolean
  readonly explain: boolean
  readonly json: boolean
}

type OptionName = keyof TypedOptions

interface Refusal {
  readonly explanation: string
  readonly fields: ReadonlyArray<OptionName>
}

/** Of an option with those it excludes, where any of them was typed. */
const beside = (typed: TypedOptions, option: OptionName, why: string, excluded: ReadonlyArray<OptionName>): Refusal | undefined => {
  const others = excluded.filter((name) => typed[name])
  return !typed[option] || others.length === 0 ? undefined : {
    explanation: `--${option} ${why}cannot be combined with ${others.map((name) => `--${name}`).join(" and ")}.`,
    fields: [option, ...others]
  }
}

const refusalOf = (typed: TypedOptions): Refusal | undefined => {
  const choice = ["call", "transcript"] as const
  if (typed.call && typed.transcript) return { explanation: "--call and --transcript exclude each other.", fields: choice }
  if (!typed.call && !typed.transcript) return { explanation: "One of --call CALL and --transcript is required.", fields: choice }
  if (typed.cursor && !typed.transcript) {
    return { explanation: "--cursor goes on with a transcript and needs --transcript.", fields: ["cursor"] }
  }
  return beside(typed, "transcript", "", ["stream", "offset", "limit", "raw", "explain"]) ??
    beside(typed, "explain", "is about what a model sees of the whole call and ", ["stream", "offset", "limit", "raw"]) ??
    beside(typed, "raw", "writes the whole stream and ", ["json", "offset", "limit"])
}

export const chooseRead = (typed: TypedOptions): Result.Result<"call" | "transcript", WrongUsage> => {
  const refusal = refusalOf(typed)
  return refusal === undefined
    ? Result.succeed(typed.transcript ? "transcript" : "call")
    : Result.fail(new WrongUsage({ ...refusal, commandPath: readPath }))
}
