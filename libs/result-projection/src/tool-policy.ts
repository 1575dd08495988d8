/**
 * The policy of a tool: how its result becomes what a model and a card see.
 *
 * Owns: the shape of a policy, and the field every catalog entry must have.
 * Limits: pure; a policy may throw on a result it does not understand, the pipeline then falls back.
 */
import type { CardPreview, ToolName } from "@steno/contracts"
import type { Candidate } from "./candidate.ts"
import type { CommandFacts } from "./command-policy.ts"
import type { RegisteredFile } from "./file-claims.ts"
import type { ProfileName } from "./profiles.ts"
import type { ResultPolicy } from "./result-policy.ts"
import type { ToolValues, ValueTool } from "./tool-results.ts"
import { type AgentView, type OverflowStrategy, viewOfCandidate } from "./value-view.ts"

/** Both sides of a card before they are cut to its budget. */
export interface CardSides {
  readonly arguments: CardPreview
  readonly result: CardPreview
  /** Which side the budget serves first. */
  readonly first: "arguments" | "result"
}

/** A tool whose result is a value. */
export interface ValuePolicy<Arguments, Result> {
  readonly kind: "value"
  readonly profiles: readonly [ProfileName, ...ReadonlyArray<ProfileName>]
  readonly view: (result: Result, files: ReadonlyArray<RegisteredFile>) => AgentView
  /** @param result absent: the call ended without one */
  readonly card: (args: Arguments, result: Result | undefined) => CardSides
}

/** A tool whose result is output: fed in blocks, finished once. */
export interface OutputPolicy extends ResultPolicy<CommandFacts> {
  readonly kind: "output"
}

export type ToolPolicy<Name extends ToolName> = Name extends ValueTool
  ? ValuePolicy<ToolValues[Name]["arguments"], ToolValues[Name]["result"]>
  : OutputPolicy

/** What a catalog knows of a tool at the least; a tool without a policy does not compile. */
export interface CatalogEntry<Name extends ToolName = ToolName> {
  readonly name: Name
  readonly policy: ToolPolicy<Name>
}

/** Shortens the candidate of a result by one strategy. */
export const byStrategy = <Result>(
  profile: ProfileName,
  strategy: OverflowStrategy,
  candidate: (result: Result, files: ReadonlyArray<RegisteredFile>) => Candidate
): ValuePolicy<unknown, Result>["view"] =>
(result, files) => viewOfCandidate(candidate(result, files), profile, strategy, files)
