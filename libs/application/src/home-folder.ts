/** Where the home lies and whether it may be written. Provided by the composition layer. */
import { Context } from "effect"

export class HomeFolder extends Context.Service<HomeFolder, {
  /** Absolute. */
  readonly path: string
  readonly access: "write" | "read"
}>()("@steno/application/HomeFolder") {}
