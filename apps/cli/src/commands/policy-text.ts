/** `policy show` as text: one block per layer, nearest first. */
import { type PolicyDocument, type PolicyLayerView, visibleCommand } from "@steno/contracts"
import { ruleText, visibleLine } from "@steno/headless"

const nameWidth = "guardrails".length

/** On one line, with what would be unseen or act on a terminal made visible. */
const shown = (text: string): string => visibleLine(visibleCommand(text))

const states: Readonly<Record<PolicyLayerView["state"], string>> = {
  "built-in": "built in",
  "in-force": "in force",
  absent: "no file",
  unconfirmed: "not confirmed: says nothing until `steno policy confirm`",
  invalid: "invalid"
}

const layerText = ({ builtIn = [], digest, fault, layer, path, rules, state }: PolicyLayerView): ReadonlyArray<string> => [
  `${layer.padEnd(nameWidth)}  ${states[state]}${path === undefined ? "" : `  ${shown(path)}`}`,
  ...(digest === undefined ? [] : [`  ${digest}`]),
  ...(fault === undefined ? [] : [`  not valid at ${shown(fault.position)}: ${shown(fault.explanation)}`]),
  ...rules.map((rule) => `  ${ruleText(rule)}`),
  ...builtIn.map((text) => `  ${text}`)
]

/** Ends with a newline. */
export const policyText = ({ layers, valid, workspacePath }: PolicyDocument): string =>
  [
    `Workspace: ${shown(workspacePath)}`,
    ...layers.flatMap(layerText),
    ...(valid ? [] : ["A policy file is invalid: none of its rules counts, and no rule allows anything."]),
    ""
  ].join("\n")
