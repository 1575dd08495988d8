/**
 * The harnesses that can drive a Turn in this home. Provided by the composition layer.
 *
 * Owns: what the application and its clients ask of a harness beside the Seam.
 * Never owns: how one is reached (its adapter), the text of a Problem (start-checks).
 * Limits: `command` is none: a direct command has no adapter and is not among them.
 */
import type { HarnessModels, HarnessQualification, TurnId } from "@steno/contracts"
import type { Harness, HarnessProfile } from "@steno/harness-seam"
import { Context, type Effect } from "effect"

/** What is found of a harness without asking a model anything. */
export interface HarnessLook {
  readonly found: boolean
  /** Absolute path of its program; absent where it is part of Steno. */
  readonly path?: string
  readonly version?: string
  readonly qualification: HarnessQualification
  /** Why it is not `qualified`. */
  readonly reason?: string
  /** Absent where it chooses its models itself. */
  readonly models?: ReadonlyArray<HarnessModels>
}

/** What is found of a harness by speaking with its program. */
export interface HarnessCheck extends HarnessLook {
  /** Of this very program; absent where it could not be used. */
  readonly profile?: HarnessProfile
}

/** Whether a Turn needs a model that somebody names; `preset` is the one that the home's configuration names. */
export type ModelNeed =
  | { readonly kind: "named"; readonly preset?: string }
  | { readonly kind: "own" }

/** Who runs the tools of a Turn and keeps its conversation: Steno, or an outside agent whose program tells of it. */
export type HarnessAgent = "built-in" | "outside"

export interface HarnessEntry {
  /** As `--harness` takes it. */
  readonly id: string
  /** For people. */
  readonly name: string
  readonly harness: Harness
  readonly agent: HarnessAgent
  /** What it needs, in one sentence. */
  readonly needs: string
  readonly model: ModelNeed
  /** What is known of it here; `workspace` is an absolute folder. Starts nothing that asks a model. */
  readonly look: (workspace: string) => Effect.Effect<HarnessLook>
  /** Looks at its program anew, whatever was known of it; absent: `look` and the profile of `harness` say it all. Asks no model. */
  readonly check?: (workspace: string) => Effect.Effect<HarnessCheck>
}

export class Harnesses extends Context.Service<Harnesses, {
  /** In the order they are shown in. */
  readonly all: ReadonlyArray<HarnessEntry>
  readonly find: (id: string) => HarnessEntry | undefined
  /** The Turn that a harness was told to prepare for before the home was open; told once. */
  readonly begunTurn: (id: string) => TurnId | undefined
  /** The person's environment: what a harness's program inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>
}>()("@steno/application/Harnesses") {}
