/** The port through which a command writes a file that a person named. */
import type { PortProblem } from "@steno/projection-port"
import { Context, type Effect } from "effect"

export class HeadlessFiles extends Context.Service<HeadlessFiles, {
  /**
   * Writes the whole file or leaves everything as it was. Replaces a regular file and nothing else.
   *
   * @param path absolute
   */
  readonly write: (path: string, text: string) => Effect.Effect<void, PortProblem>
}>()("@steno/headless/HeadlessFiles") {}
