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

const named = (typed: TypedOptions, names: ReadonlyArray<OptionName>): string =>
  names.filter((name) => typed[name]).map((name) => `--${name}`).join(" and ")

const refusalOf = (typed: TypedOptions): string | undefined => {
  if (typed.call && typed.transcript) return "--call and --transcript exclude each other."
  if (!typed.call && !typed.transcript) return "One of --call CALL and --transcript is required."
  if (typed.transcript) {
    const others = named(typed, ["stream", "offset", "limit", "raw", "explain"])
    return others === "" ? undefined : `--transcript cannot be combined with ${others}.`
  }
  if (typed.cursor) return "--cursor goes on with a transcript and needs --transcript."
  const parts = typed.explain ? named(typed, ["stream", "offset", "limit", "raw"]) : ""
  if (parts !== "") return `--explain is about what a model sees of the whole call and cannot be combined with ${parts}.`
  const others = typed.raw ? named(typed, ["json", "offset", "limit"]) : ""
  return others === "" ? undefined : `--raw writes the whole stream and cannot be combined with ${others}.`
}

export const chooseRead = (typed: TypedOptions): Result.Result<"call" | "transcript", WrongUsage> => {
  const explanation = refusalOf(typed)
  return explanation === undefined
    ? Result.succeed(typed.transcript ? "transcript" : "call")
    : Result.fail(new WrongUsage({ explanation, commandPath: readPath }))
}
