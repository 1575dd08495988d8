/**
 * Text that a person gives to a Run: INPUT and TEXT, as words or on stdin.
 *
 * Owns: joining words by one space; `-` alone reads stdin, to the byte; what is refused.
 */
import type { Problem } from "@steno/contracts"
import { PortProblem } from "@steno/projection-port"
import { Effect, Result, Stream } from "effect"
import { Argument } from "./cli-engine.ts"
import { HeadlessInput } from "./headless-ports.ts"
import { WrongUsage } from "./wrong-usage.ts"

/** How the text is called in help and Problems. */
export type TextName = "INPUT" | "TEXT"

/** After `--` nothing of it is an option. */
export const textArgument = (name: TextName, what: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`${what}, its words joined by one space; - reads stdin; after -- nothing is an option`),
    Argument.variadic({ min: 1 })
  )

/** Bytes that are no UTF-8 are refused, for what is done must be what was given. */
const decoded = (bytes: Uint8Array, name: TextName, commandPath: ReadonlyArray<string>): Result.Result<string, WrongUsage> =>
  Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)).pipe(
    Result.mapError(() =>
      new WrongUsage({
        explanation: `${name} on stdin is not valid UTF-8, so it would not arrive as it was given.`,
        fields: [name],
        commandPath
      })
    )
  )

const blank = (name: TextName): Problem => ({
  code: "input-blank",
  explanation: `${name} is blank, so there is nothing to do.`,
  remediation: `Give it after "--", or "-" with it on stdin.`,
  possibleEffects: "none"
})

/** Reads stdin only where the words are `-` alone. Fails with `input-blank` where it says nothing. */
export const givenText = Effect.fnUntraced(function*(
  words: ReadonlyArray<string>,
  name: TextName,
  commandPath: ReadonlyArray<string>
) {
  const input = yield* HeadlessInput
  const text = words.length === 1 && words[0] === "-"
    ? yield* Effect.fromResult(decoded(yield* Stream.mkUint8Array(input.stdin), name, commandPath))
    : words.join(" ")
  return text.trim() === "" ? yield* new PortProblem({ problem: blank(name) }) : text
})
