/**
 * What is said about harnesses: which there are, whether they can be used here, what they can do.
 *
 * Owns: the entry of direct commands, which no adapter stands behind; which harness is the default; the order of a catalog; `harness-unknown` of a check.
 * Never owns: how a harness is looked for and what it claims (its adapter, behind the Seam).
 * Limits: asks no model anything.
 */
import type { HarnessCapability, HarnessCatalog, HarnessEntry as CatalogEntry } from "@steno/contracts"
import { type Capability, capabilityNames, type HarnessProfile, makeHarnessProfile } from "@steno/harness-seam"
import type { HarnessCheckQuery, PortProblem } from "@steno/projection-port"
import { Context, Effect, Layer } from "effect"
import { commandHarness } from "./harness-preparation.ts"
import { Harnesses } from "./harnesses.ts"
import { HomeFolder } from "./home-folder.ts"
import { makeProblem } from "./problems.ts"

/** What is shown of a harness, whoever tells it. */
interface Described {
  readonly id: string
  readonly profile: HarnessProfile
  readonly entry: Effect.Effect<CatalogEntry>
  /** As `entry`, looked at anew, with the profile of what was found; absent: nothing more can be learnt. */
  readonly checked?: Effect.Effect<{ readonly entry: CatalogEntry; readonly profile: HarnessProfile }>
}

const directCommands: Described = {
  id: commandHarness,
  profile: makeHarnessProfile([{
    name: "interruption",
    state: "supported",
    mode: "active-turn",
    evidence: ["probe"],
    limits: ["Looked at each time: the end of every process of the command that is known"]
  }]),
  entry: Effect.succeed({
    id: commandHarness,
    name: "Direct command",
    found: true,
    qualification: "qualified",
    needs: "A shell: bash, else sh."
  })
}

const capabilityOf = ({ evidence, limits, mode, name, state }: Capability): HarnessCapability => ({
  name,
  state,
  ...(mode === undefined ? {} : { mode }),
  evidence,
  ...(limits === undefined ? {} : { limits })
})

/** Every capability there is, in the order of the Seam. */
const capabilitiesOf = (profile: HarnessProfile): ReadonlyArray<HarnessCapability> =>
  capabilityNames.map((name) => capabilityOf(profile[name]))

const catalogOf = (harnesses: ReadonlyArray<CatalogEntry>): HarnessCatalog => ({ family: "harness-catalog", harnesses })

export class HarnessCatalogs extends Context.Service<HarnessCatalogs, {
  /** Taken by a Run that names none; whether there is one of that name is not looked at. */
  readonly default: Effect.Effect<string>
  /** Without capabilities; direct commands last. `workspacePath` is absolute. */
  readonly list: (workspacePath: string) => Effect.Effect<HarnessCatalog>
  /** One harness with every capability there is. */
  readonly check: (query: HarnessCheckQuery) => Effect.Effect<HarnessCatalog, PortProblem>
}>()("@steno/application/HarnessCatalogs") {
  static readonly layerNoDeps = Layer.effect(
    HarnessCatalogs,
    Effect.gen(function*() {
      const { all } = yield* Harnesses
      const { config } = yield* HomeFolder
      const defaultId = config.defaultHarness ?? commandHarness

      const withDefault = (entry: CatalogEntry): CatalogEntry => entry.id === defaultId ? { ...entry, default: true } : entry

      const entryOf = ({ entry }: Described): Effect.Effect<CatalogEntry> => Effect.map(entry, withDefault)

      const describedIn = (workspacePath: string): ReadonlyArray<Described> => [
        ...all.map(({ check, harness, id, look, name, needs }): Described => ({
          id,
          profile: harness.profile,
          entry: Effect.map(look(workspacePath), (found) => ({ id, name, ...found, needs })),
          ...(check === undefined ? {} : {
            checked: Effect.map(check(workspacePath), ({ profile = makeHarnessProfile([]), ...found }) =>
              ({ entry: { id, name, ...found, needs }, profile }))
          })
        })),
        directCommands
      ]

      const list = Effect.fn("HarnessCatalogs.list")(function*(workspacePath: string) {
        return catalogOf(yield* Effect.forEach(describedIn(workspacePath), entryOf, { concurrency: "unbounded" }))
      })

      const check = Effect.fn("HarnessCatalogs.check")(function*({ harness, workspacePath }: HarnessCheckQuery) {
        const described = describedIn(workspacePath)
        const found = described.find(({ id }) => id === harness)
        if (found === undefined) {
          return yield* makeProblem(
            "harness-unknown",
            `There is no harness ${JSON.stringify(harness)}; this release has: ${described.map(({ id }) => id).join(", ")}.`,
            "Use one of these; `steno harness list` says more.",
            { details: { harness } }
          )
        }
        const { entry, profile } = found.checked === undefined
          ? { entry: yield* found.entry, profile: found.profile }
          : yield* found.checked
        return catalogOf([{ ...withDefault(entry), capabilities: capabilitiesOf(profile) }])
      })

      return HarnessCatalogs.of({ default: Effect.succeed(defaultId), list, check })
    })
  )
}
