/**
 * The built-in loop as a harness behind the Seam.
 *
 * Owns: what it claims, what is prepared, which texts are secrets.
 * Never owns: the loop itself (hosted-loop), reaching models (model-source).
 * Limits: no process and no native session: nothing to reattach to, a Session stays open. Preparing sends nothing.
 */
import {
  Diagnostics,
  type Harness,
  HarnessProbeFailed,
  makeHarnessProfile,
  type PreparedHarness,
  PrepareError,
  Secrets,
  startTurn,
  turnFailure,
  type TurnHandle,
  TurnSlot
} from "@steno/harness-seam"
import { Effect } from "effect"
import { Conversation } from "./conversation.ts"
import { hostedInstructions } from "./hosted-instructions.ts"
import { driveTurn, type HostedSession, type ReadImage } from "./hosted-loop.ts"
import { makeModelSource, type ModelSource, type ModelSourceOptions } from "./model-source.ts"
import { TurnControls } from "./turn-controls.ts"

export interface HostedHarnessOptions extends ModelSourceOptions {
  readonly readImage: ReadImage
  /** Where neither the harness was prepared with a model nor the Turn names one. */
  readonly defaultModel?: string
  /** Default: `hostedInstructions`. */
  readonly instructions?: (workspace: string) => string
}

const evidence = ["schema"] as const

export const hostedProfile = makeHarnessProfile([
  { name: "interruption", state: "supported", mode: "active-turn", evidence },
  { name: "steer", state: "supported", limits: ["A Steer goes into the next request to the model"], evidence },
  { name: "model-selection", state: "supported", limits: ["A change holds from the next request to the model on"], evidence },
  { name: "turn-diff", state: "limited", limits: ["Only of files that write and edit change; told when the Turn is over"], evidence },
  { name: "thought-summaries", state: "limited", limits: ["Only where the provider sends them"], evidence }
])

/** The least units of a text that the Seam takes for a secret. */
const secretUnits = 8

const secretsOf = ({ providers }: HostedHarnessOptions): ReadonlyArray<string> =>
  Object.values(providers).flatMap(({ apiKey = "" }) => (apiKey.length >= secretUnits ? [apiKey] : []))

const noModel = () =>
  new PrepareError({
    reason: new HarnessProbeFailed({ explanation: "No model was chosen", remedy: "Choose a model." })
  })

const harness = { id: "hosted", name: "Hosted loop" } as const

/** As `makeHostedHarness`, over any source of models. */
export const makeHostedHarnessOver = (
  options: HostedHarnessOptions,
  sourceOf: (workspace: string) => ModelSource
): Harness => ({
  ...harness,
  profile: hostedProfile,
  prepare: Effect.fnUntraced(function*(prepared) {
    const source = sourceOf(prepared.workspace)
    const fallback = prepared.model ?? (options.defaultModel === undefined ? undefined : { model: options.defaultModel })
    const opened = fallback === undefined ? undefined : yield* source(fallback)
    const secrets = new Secrets([...prepared.secrets, ...secretsOf(options)])
    const diagnostics = new Diagnostics()
    const slot = new TurnSlot()
    const session: HostedSession = {
      instructions: (options.instructions ?? hostedInstructions)(prepared.workspace),
      readImage: options.readImage,
      conversation: new Conversation()
    }
    let live: { readonly handle: TurnHandle; readonly controls: TurnControls } | undefined

    const start: PreparedHarness["startTurn"] = Effect.fnUntraced(function*(request, host) {
      const controls = new TurnControls(source)
      const asked = request.model
      const same = opened !== undefined &&
        (asked === undefined || (asked.model === opened.choice.model && asked.effort === opened.choice.effort))
      const model = same ? Effect.succeed(opened) : asked === undefined ? Effect.fail(noModel()) : source(asked)
      const handle = yield* startTurn({
        harness,
        host,
        secrets,
        diagnostics,
        ...(request.continues === undefined ? {} : { continues: request.continues }),
        profile: hostedProfile,
        slot,
        drive: driveTurn({
          session,
          request,
          controls,
          model: Effect.mapError(model, ({ message }) => turnFailure("native", message))
        }),
        controls: () => controls.native
      })
      live = { handle, controls }
      return handle
    })

    const close = yield* Effect.cached(Effect.gen(function*() {
      slot.close()
      if (live !== undefined) {
        yield* live.controls.interrupt
        yield* live.handle.result
      }
      return { survivors: [], diagnostics: diagnostics.all() }
    }))
    return { harness, profile: hostedProfile, startTurn: start, close }
  })
})

/** A Turn of it is one conversation with a model; its calls are run by the host. */
export const makeHostedHarness = (options: HostedHarnessOptions): Harness =>
  makeHostedHarnessOver(options, (workspace) => makeModelSource(options, workspace))
