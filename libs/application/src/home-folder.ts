/** Where the home lies, whether it may be written, and what its person set. Provided by the composition layer. */
import type { HomeConfig } from "@steno/contracts"
import { Context } from "effect"

export class HomeFolder extends Context.Service<HomeFolder, {
  /** Absolute. */
  readonly path: string
  readonly access: "write" | "read"
  readonly config: HomeConfig
}>()("@steno/application/HomeFolder") {}
