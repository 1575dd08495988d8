/**
 * What a scripted agent writes down of itself, one JSON value per line of a file.
 *
 * Owns: the entries, writing and reading them.
 * Limits: loaded by the agent's process, which has to start fast.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs"

export type AgentEntry =
  | { readonly pid: number }
  | { readonly input: string }
  | { readonly approval: number; readonly told: "allowed" | "denied" | "cancelled" }
  | { readonly answered: unknown }
  | { readonly played: true }

export const writeEntry = (file: string, entry: AgentEntry): void => appendFileSync(file, `${JSON.stringify(entry)}\n`)

/** Those that are written whole. */
export const readEntries = (file: string): ReadonlyArray<AgentEntry> =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)) : []
