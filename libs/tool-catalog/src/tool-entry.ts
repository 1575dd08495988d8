/**
 * What the catalog knows of one tool.
 *
 * Owns: the shape of an entry; the policy of its result is part of it, so that a tool without one does not compile.
 * Limits: a tool that is replay-safe has no effect and asks nobody; `catalog.test.ts` holds this.
 */
import type { ToolName } from "@steno/contracts"
import type { CatalogEntry, ToolValues, ValueTool } from "@steno/result-projection"
import type { Schema } from "effect"

/** What a call of the tool may do; what a person must approve is decided from it (permission-policy). */
export type ToolRisk = "none" | "read" | "write" | "execute"

/** Tools that come with a later part of the product have no entry yet. */
export type OfferedTool = Exclude<ToolName, "async_bash" | "explore" | "agent">

export interface BashArguments {
  readonly command: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Wall time. */
  readonly timeoutSeconds?: number
}

export type ArgumentsOf<Name extends ToolName> = Name extends ValueTool ? ToolValues[Name]["arguments"] : BashArguments

export interface ToolEntry<Name extends OfferedTool = OfferedTool> extends CatalogEntry<Name> {
  /** For the model: what it does, what comes back, when to use another tool. */
  readonly description: string
  readonly arguments: Schema.Decoder<ArgumentsOf<Name>>
  readonly risk: ToolRisk
  /** A call that was cut off may run again: it changed nothing and asked nobody. */
  readonly replaySafe: boolean
  /** Waits for a person as part of its work. */
  readonly suspends: boolean
}
