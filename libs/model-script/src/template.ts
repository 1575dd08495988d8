/**
 * The variables of a script's texts.
 *
 * Owns: their names and where they are filled in.
 * Limits: one pass; what a variable brought in is not looked at again, other words in double braces stay.
 */
import { createHash } from "node:crypto"
import type { Schema } from "effect"

export interface TemplateValues {
  /** Requests of this conversation that were answered, this one included. */
  readonly step: number
  /** How often this step answered, this time included. */
  readonly round: number
  /** Text of the newest tool result. */
  readonly result: string
}

const variable = /\{\{(step|round|result|digest)\}\}/g

const valueOf = (name: string, { result, round, step }: TemplateValues): string => {
  if (name === "step") return String(step)
  if (name === "round") return String(round)
  return name === "digest" ? createHash("sha256").update(result).digest("hex") : result
}

export const filledText = (text: string, values: TemplateValues): string =>
  text.replace(variable, (_, name: string) => valueOf(name, values))

/** `json` with every text in it filled in; keys stay as they are. */
export const filledJson = (json: Schema.Json, values: TemplateValues): Schema.Json => {
  if (typeof json === "string") return filledText(json, values)
  if (Array.isArray(json)) return json.map((item: Schema.Json) => filledJson(item, values))
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, filledJson(value, values)]))
}
