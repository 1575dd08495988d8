/** A permission rule on one line, as it would be written: `allow  command "npm test"  (reason)`. */
import { type PolicyRule, visibleCommand } from "@steno/contracts"
import { visibleLine } from "./visible-text.ts"

const effectWidth = "allow".length
const conditions = ["tool", "risk", "path", "command", "host"] as const

/** On one line, with what would be unseen or act on a terminal made visible. */
const shown = (text: string): string => visibleLine(visibleCommand(text))

export const ruleText = (rule: PolicyRule): string => {
  const given = conditions.flatMap((name) => {
    const value = rule[name]
    return value === undefined ? [] : [`${name} ${shown(JSON.stringify(value))}`]
  })
  const what = given.length === 0 ? "everything" : given.join(", ")
  return `${rule.effect.padEnd(effectWidth)}  ${what}${rule.reason === undefined ? "" : `  (${shown(rule.reason)})`}`
}
