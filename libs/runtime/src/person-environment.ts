/**
 * The environment that commands inherit.
 *
 * Owns: which variables of the person's reach the commands of a model.
 * Never owns: what every command goes without (process-host).
 */
import { Context } from "effect"
import { homedir } from "node:os"
import { isAbsolute } from "node:path"

export type Variables = Readonly<Record<string, string | undefined>>

/** The environment as this process got it. */
export const PersonEnvironment = Context.Reference<Variables>("@steno/runtime/PersonEnvironment", { defaultValue: () => ({}) })

/** Keys that this process reaches models with. */
export const providerKeyNames = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_COMPATIBLE_API_KEY"] as const

const keys: ReadonlySet<string> = new Set(providerKeyNames)

/** Without the keys of models, which nothing that a model runs has a use for. */
export const withoutProviderKeys = (environment: Variables): Variables =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !keys.has(name)))

/** The person's home directory; empty where the system knows none. */
export const userHomeOf = ({ HOME: named = "" }: Variables): string => {
  if (isAbsolute(named)) return named
  try {
    return homedir()
  } catch {
    return ""
  }
}
