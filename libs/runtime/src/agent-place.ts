/** What the adapter of an outside agent is made with in a home, and what people are told of the agent. */
import type { HarnessEntry } from "@steno/application"
import type { HomeConfig } from "@steno/contracts"
import type { PrepareOptions } from "@steno/harness-seam"
import type { ProcessHost } from "@steno/process-host"
import type { Effect } from "effect"
import type { Variables } from "./person-environment.ts"
import type { QualificationCache } from "./qualification-cache.ts"

/** A program and the words that go before Steno's arguments. */
export type AgentCommand = NonNullable<HomeConfig["harnesses"]>[string]["command"]

export type DescribedAgent = Pick<HarnessEntry, "id" | "name" | "needs">

export interface AgentPlace {
  readonly processHost: ProcessHost["Service"]
  readonly cache: QualificationCache
  readonly environment: Variables
  /** What a program is looked at with, in a workspace. */
  readonly asked: (workspace: string) => Effect.Effect<PrepareOptions>
}
