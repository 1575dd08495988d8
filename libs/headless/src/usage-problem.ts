/**
 * Words wrong usage as a Problem.
 *
 * Owns: explanations and the nearest help hint for every way to mistype a command.
 * Limits: pure; a text never holds a stack trace or the words of the parser.
 */
import type { Problem } from "@steno/contracts"
import { type CliError } from "./cli-engine.ts"
import { visibleLine } from "./visible-text.ts"
import { type WrongUsage } from "./wrong-usage.ts"

const quoted = (text: string) => `"${visibleLine(text)}"`

const expectedWords = (expected: string): string => {
  if (/\btrue\b/i.test(expected)) return "no value"
  if (/\||^"[^"]+"$/.test(expected)) return `one of ${expected.replaceAll("\"", "").replaceAll(" | ", ", ")}`
  if (/\bint|finite|number/i.test(expected)) return "a whole number"
  return "a value"
}

const invalidValue = (error: CliError.InvalidValue): string => {
  const name = error.kind === "flag" ? `--${error.option}` : error.option
  if (error.expected === "at most 1 value") return `Option ${name} was given more than once.`
  if (error.value === "") return `Option ${name} needs a value.`
  return `${quoted(error.value)} is not valid for ${name}: expected ${expectedWords(error.expected)}.`
}

const explain = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `Unknown option ${visibleLine(error.option)}.`
    case "UnknownSubcommand":
      return `Unknown command ${quoted(error.subcommand)}.`
    case "MissingOption":
      return `Option --${error.option} is required.`
    case "MissingArgument":
      return `Argument ${error.argument} is required.`
    case "UnexpectedArgument":
      return `Unexpected argument${error.arguments.length === 1 ? "" : "s"} ${error.arguments.map(quoted).join(", ")}.`
    case "InvalidValue":
      return invalidValue(error)
    case "DuplicateOption":
      return `Option --${error.option} is declared twice.`
    case "ValidationError":
    case "UserError":
      return visibleLine(error.message)
  }
}

/** Every short name is near to no word at all. */
const suggestionsOf = (error: CliError.NonShowHelpErrors): ReadonlyArray<string> => {
  if (error._tag === "UnrecognizedOption") return error.suggestions
  return error._tag === "UnknownSubcommand" && error.subcommand.trim() !== "" ? error.suggestions : []
}

/** What the words behind "--" are called by the commands that take any. */
const takenWords: Readonly<Record<string, string>> = { start: "INPUT", send: "TEXT", steer: "TEXT" }

const remedy = (commandPath: ReadonlyArray<string>, errors: ReadonlyArray<CliError.NonShowHelpErrors>): string => {
  const suggestions = errors.flatMap(suggestionsOf)
  const words = takenWords[commandPath.at(-1) ?? ""]
  return [
    ...(suggestions.length > 0 ? [`Did you mean ${suggestions.join(" or ")}?`] : []),
    ...(words !== undefined && errors.some((error) => error._tag === "UnrecognizedOption")
      ? [`Put "--" before ${words} if the option belongs to it.`]
      : []),
    `See "${[...commandPath, "--help"].join(" ")}".`
  ].join(" ")
}

type Violations = NonNullable<Problem["fieldViolations"]>

/** The option or argument that an error is about, without dashes. */
const fieldOf = (error: CliError.NonShowHelpErrors): string | undefined => {
  switch (error._tag) {
    case "UnrecognizedOption":
    case "MissingOption":
    case "InvalidValue":
    case "DuplicateOption":
      return error.option.replace(/^-+/, "")
    case "MissingArgument":
      return error.argument
    default:
      return undefined
  }
}

const violationsOf = (errors: ReadonlyArray<CliError.NonShowHelpErrors>): Violations =>
  errors.flatMap((error) => {
    const field = fieldOf(error)
    return field === undefined ? [] : [{ field, explanation: explain(error) }]
  })

const usageInvalid = (explanation: string, remediation: string, violations: Violations = []): Problem => ({
  code: "usage-invalid",
  explanation,
  remediation,
  possibleEffects: "none",
  ...(violations.length === 0 ? {} : { fieldViolations: violations })
})

/** The Problem `usage-invalid` for whatever the parser or a command refused; nothing was done. */
export const usageProblem = (error: CliError.CliError | WrongUsage, rootName = "steno"): Problem => {
  if (error._tag === "WrongUsage") {
    const { commandPath, explanation, fields = [] } = error
    return usageInvalid(explanation, remedy(commandPath, []), fields.map((field) => ({ field, explanation })))
  }
  if (error._tag !== "ShowHelp") return usageInvalid(explain(error), remedy([rootName], [error]), violationsOf([error]))
  if (error.errors.length === 0) {
    return usageInvalid(`"${error.commandPath.join(" ")}" needs a command.`, remedy(error.commandPath, []))
  }
  return usageInvalid(
    [...new Set(error.errors.map(explain))].join(" "),
    remedy(error.commandPath, error.errors),
    violationsOf(error.errors)
  )
}

/** Whether the words before the first `--` ask for JSON, also when they cannot be parsed. */
export const wantsJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return (end === -1 ? args : args.slice(0, end)).some((word) =>
    word === "--json" || /^--json=(?:true|yes|on|1|y)$/i.test(word)
  )
}
