/**
 * What is said about harnesses: which there are, whether they can be used here, what they can do.
 *
 * Owns: the entry of direct commands, which no adapter stands behind; the order of a catalog; `harness-unknown` of a check.
 * Never owns: how a harness is looked for and what it claims (its adapter, behind the Seam).
 * Limits: asks no model anything.
 */
import type { HarnessCatalog, HarnessEntry } from "@steno/contracts"
import type { HarnessCheckQuery, PortProblem } from "@steno/projection-port"
import { Context, Effect, Layer } from "effect"
import { makeProblem } from "./problems.ts"

const catalogOf = (harnesses: ReadonlyArray<HarnessEntry>): HarnessCatalog => ({ family: "harness-catalog", harnesses })

const directCommands: HarnessEntry = {
  id: "command",
  name: "Direct command",
  found: true,
  qualification: "qualified",
  needs: "A shell: bash, else sh."
}

const checkedDirectCommands: HarnessEntry = {
  ...directCommands,
  capabilities: [{
    name: "interruption",
    state: "supported",
    mode: "active-turn",
    evidence: ["probe"],
    limits: ["Proven each time, by the end of every process of the command that is known"]
  }]
}

export class HarnessCatalogs extends Context.Service<HarnessCatalogs, {
  /** Without capabilities; `workspacePath` is absolute. */
  readonly list: (workspacePath: string) => Effect.Effect<HarnessCatalog, PortProblem>
  /** One harness with every capability there is. */
  readonly check: (query: HarnessCheckQuery) => Effect.Effect<HarnessCatalog, PortProblem>
}>()("@steno/application/HarnessCatalogs") {
  static readonly layerNoDeps = Layer.succeed(HarnessCatalogs, {
    list: () => Effect.succeed(catalogOf([directCommands])),
    check: ({ harness }) =>
      harness === directCommands.id
        ? Effect.succeed(catalogOf([checkedDirectCommands]))
        : Effect.fail(makeProblem(
          "harness-unknown",
          `There is no harness ${JSON.stringify(harness)}.`,
          "List them with `steno harness list`.",
          { details: { harness } }
        ))
  })
}
