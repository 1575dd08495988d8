/** Harnesses in words for a person. */
import type { HarnessCapability, HarnessEntry, HarnessModels } from "@steno/contracts"
import { visibleLine } from "./visible-text.ts"

type Lines = ReadonlyArray<string>

const optional = (label: string, value: string | undefined): Lines => value === undefined ? [] : [`  ${label.padEnd(11)}${visibleLine(value)}`]

const columns = (rows: ReadonlyArray<readonly [string, string, string]>): Lines => {
  const widths = [0, 1].map((index) => Math.max(...rows.map((row) => (row[index] ?? "").length)))
  return rows.map((row) => `    ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd())
}

const modelLines = (models: ReadonlyArray<HarnessModels>): Lines => [
  "  Models:",
  ...columns(models.map(({ available, name, needs }) => [visibleLine(name), available ? "yes" : "no", visibleLine(needs)] as const))
]

const evidenceText = ({ evidence, limits = [], mode }: HarnessCapability): string =>
  [
    ...(mode === undefined ? [] : [mode]),
    ...(evidence.length === 0 ? [] : [`by ${evidence.join(", ")}`]),
    ...limits.map(visibleLine)
  ].join("; ")

const capabilityLines = (capabilities: ReadonlyArray<HarnessCapability>): Lines => [
  "  Capabilities:",
  ...columns(capabilities.map((capability) => [visibleLine(capability.name), capability.state, evidenceText(capability)] as const))
]

const entryLines = (entry: HarnessEntry): Lines => [
  `${visibleLine(entry.id)}: ${visibleLine(entry.name)}${entry.version === undefined ? "" : ` ${visibleLine(entry.version)}`}, ${
    entry.found ? entry.qualification : "not found"
  }${entry.default === true ? ", the default" : ""}`,
  ...optional("Program:", entry.path),
  ...optional("Reason:", entry.reason),
  ...optional("Needs:", entry.needs),
  ...(entry.models === undefined ? [] : modelLines(entry.models)),
  ...(entry.capabilities === undefined ? [] : capabilityLines(entry.capabilities))
]

/** One block per harness; ends with a newline. */
export const harnessesText = (harnesses: ReadonlyArray<HarnessEntry>): string =>
  `${harnesses.map((entry) => entryLines(entry).join("\n")).join("\n\n")}\n`
