/**
 * RUN and RUN/SESSION as a person types them.
 *
 * Owns: where a Run's name ends and a Session's begins; which directory `@last` looks in.
 * Never owns: which Run a prefix or `@last` names (the Port).
 */
import type { SessionReference } from "@steno/projection-port"
import { Effect, Result } from "effect"
import { Argument } from "./cli-engine.ts"
import { runReference } from "./run-shared-arguments.ts"
import { visibleLine } from "./visible-text.ts"
import { WrongUsage } from "./wrong-usage.ts"

export const sessionArgument = Argument.String("RUN[/SESSION]").pipe(
  Argument.withDescription("As RUN, which means its first Session; or RUN/SESSION")
)

interface TypedReference {
  readonly run: string
  readonly session?: string
}

/** The first "/" ends RUN: no id has one, and no Session's name. The failure is an explanation. */
export const splitReference = (text: string): Result.Result<TypedReference, string> => {
  const at = text.indexOf("/")
  if (text.trim() === "") return Result.fail("RUN must not be blank.")
  if (at === -1) return Result.succeed({ run: text })
  const [run, session] = [text.slice(0, at), text.slice(at + 1)]
  return run === "" || session.trim() === "" || session.includes("/")
    ? Result.fail(`"${visibleLine(text)}" is not RUN or RUN/SESSION.`)
    : Result.succeed({ run, session })
}

const split = (text: string, commandPath: ReadonlyArray<string>) =>
  Effect.fromResult(Result.mapError(splitReference(text), (explanation) => new WrongUsage({ explanation, fields: ["RUN"], commandPath })))

/** RUN or RUN/SESSION. */
export const sessionReference = Effect.fnUntraced(function*(text: string, commandPath: ReadonlyArray<string>) {
  const { run, session } = yield* split(text, commandPath)
  const reference: SessionReference = { run: yield* runReference(run), ...(session === undefined ? {} : { session }) }
  return reference
})

/** RUN where a Session cannot be named. */
export const wholeRunReference = Effect.fnUntraced(function*(text: string, commandPath: ReadonlyArray<string>) {
  const { run, session } = yield* split(text, commandPath)
  if (session !== undefined) {
    return yield* new WrongUsage({
      explanation: `"${visibleLine(text)}" names a Session, but a whole Run is meant here.`,
      fields: ["RUN"],
      commandPath
    })
  }
  return yield* runReference(run)
})
