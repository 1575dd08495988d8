/** Help of one command as text. */
import { Option } from "effect"
import type { HelpDoc } from "./cli-engine.ts"

type Help = HelpDoc.HelpDoc
type Row = readonly [left: string, right: string]

const rows = (entries: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const width = Math.max(...entries.map(([left]) => left.length))
  return entries.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd())
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines]

const valueName = (type: string): string => type.includes("boolean") ? "" : ` ${type}`

const optionRow = (flag: Help["flags"][number]): Row => [
  [...flag.aliases, `--${flag.name}`].join(", ") + valueName(flag.type),
  Option.getOrElse(flag.description, () => "") + (flag.required ? " (required)" : "")
]

const argumentRow = (argument: NonNullable<Help["args"]>[number]): Row => [
  argument.name + (argument.variadic ? "…" : ""),
  Option.getOrElse(argument.description, () => "")
]

const usageLine = (doc: Help): string => {
  const path = (doc.commandPath ?? []).join(" ")
  if (doc.subcommands !== undefined) return `${path} COMMAND`
  const names = (doc.args ?? []).map((argument) => {
    const name = argument.variadic ? `${argument.name}…` : argument.name
    return argument.required ? name : `[${name}]`
  })
  const required = doc.flags.filter((flag) => flag.required).map((flag) => `--${flag.name}${valueName(flag.type)}`)
  return [path, ...required, "[OPTIONS]", ...names].join(" ")
}

/** Ends with a newline. */
export const helpText = (doc: Help): string =>
  [
    `Usage: ${usageLine(doc)}`,
    ...(doc.description === "" ? [] : ["", doc.description]),
    ...section("Commands", rows((doc.subcommands ?? []).flatMap((group) =>
      group.commands.map((command): Row => [command.name, command.shortDescription ?? command.description])
    ))),
    ...section("Arguments", rows((doc.args ?? []).map(argumentRow))),
    ...section("Options", rows([...doc.flags, ...(doc.inheritedFlags ?? []), ...(doc.globalFlags ?? [])].map(optionRow))),
    ...section("Example", (doc.examples ?? []).map((example) => `  ${example.command}`)),
    ""
  ].join("\n")
