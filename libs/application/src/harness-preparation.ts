/**
 * Finds the harness and the model of a Run and prepares it, before anything is admitted.
 *
 * Owns: under which id the first Turn is prepared; the refusals `harness-unknown`, `harness-not-found`, `harness-unavailable`,
 * `model-required`, `approvals-ask-unsupported`.
 * Limits: nothing of a Turn is sent.
 */
import { IdMinter, type StartInput, type TurnAdmitted, type TurnId } from "@steno/contracts"
import type { ModelChoice, PreparedHarness, PrepareError } from "@steno/harness-seam"
import type { PortProblem } from "@steno/projection-port"
import { Context, Effect, Layer } from "effect"
import { AgentCallServers, type OpenedAgentCallServer } from "./agent-call-servers.ts"
import { agentCallVerdict } from "./agent-calls.ts"
import { type HarnessAgent, Harnesses, type HarnessEntry } from "./harnesses.ts"
import { makeProblem } from "./problems.ts"

/** The harness of direct commands, which has no adapter. */
export const commandHarness = "command"

export interface PreparedRun {
  readonly prepared: PreparedHarness
  readonly agent: HarnessAgent
  /** Of the outside conversation that it was prepared to go on with. */
  readonly coordinate?: string
  readonly model?: ModelChoice
  /** Through which its program calls the Run; closed with `prepared`. */
  readonly agentCallServer?: OpenedAgentCallServer
}

/** What the admission of a Turn says of harness and model. */
export const askedOf = ({ model, prepared: { harness } }: PreparedRun): Pick<TurnAdmitted, "harness" | "requestedModel" | "requestedEffort"> => ({
  harness,
  ...(model === undefined ? {} : { requestedModel: model.model }),
  ...(model?.effort === undefined ? {} : { requestedEffort: model.effort })
})

type Wanted = Pick<StartInput, "harness" | "model" | "effort" | "workspace" | "approvals" | "agentCalls">

/** The server that was opened for it is closed with it. */
const closedWith = (prepared: PreparedHarness, server: OpenedAgentCallServer | undefined): PreparedHarness =>
  server === undefined ? prepared : {
    harness: prepared.harness,
    profile: prepared.profile,
    startTurn: (request, host) => prepared.startTurn(request, host),
    close: Effect.ensuring(prepared.close, server.close)
  }

const sentence = (words: string): string => /[.!?]$/.test(words) ? words : `${words}.`

const saysNeeds = (id: string): string => `\`steno harness check ${id}\` says which models there are and what each needs.`

const unprepared = ({ id }: HarnessEntry, { reason }: PrepareError): PortProblem => {
  const details = { harness: id, reason: reason.code }
  return reason.code === "not-found"
    ? makeProblem("harness-not-found", sentence(reason.explanation), reason.remedy, { details })
    : makeProblem("harness-unavailable", sentence(reason.explanation), `${reason.remedy} ${saysNeeds(id)}`, { details })
}

const askUnsupported = ({ id }: HarnessEntry): PortProblem =>
  makeProblem(
    "approvals-ask-unsupported",
    `The harness ${id} asks while its Turn runs, and what it asks ends with that Turn: nobody can answer it later.`,
    "Use --approvals deny or --approvals allow, or set the agent's own permissions.",
    { details: { harness: id } }
  )

const modelOf = ({ id, model: need }: HarnessEntry, { effort, model }: Wanted): Effect.Effect<ModelChoice | undefined, PortProblem> => {
  const named = model ?? (need.kind === "named" ? need.preset : undefined)
  if (named !== undefined) return Effect.succeed({ model: named, ...(effort === undefined ? {} : { effort }) })
  return need.kind === "own" ? Effect.undefined : Effect.fail(makeProblem(
    "model-required",
    `The harness ${id} needs a model.`,
    `Name one with --model. ${saysNeeds(id)}`,
    { details: { harness: id } }
  ))
}

export class HarnessPreparation extends Context.Service<HarnessPreparation, {
  /** Fails with `harness-unknown` where no harness of this name can drive a Run; `command` can. */
  readonly checkKnown: (id: string) => Effect.Effect<void, PortProblem>
  /** The Turn that the harness began to prepare for, or a new one. */
  readonly firstTurn: (id: string) => Effect.Effect<TurnId>
  /**
   * Whoever gets it closes it. With a coordinate it reaches that outside conversation, or fails. Fails with
   * `approvals-ask-unsupported` where the requests of a harness die with their Turn.
   */
  readonly prepare: (wanted: Wanted, turnId: TurnId, coordinate?: string) => Effect.Effect<PreparedRun, PortProblem>
}>()("@steno/application/HarnessPreparation") {
  static readonly layerNoDeps = Layer.effect(
    HarnessPreparation,
    Effect.gen(function*() {
      const harnesses = yield* Harnesses
      const servers = yield* AgentCallServers
      const ids = yield* IdMinter

      const unknown = (id: string) => {
        const known = [commandHarness, ...harnesses.all.map((entry) => entry.id)].join(", ")
        return makeProblem(
          "harness-unknown",
          `There is no harness ${JSON.stringify(id)}; this release has: ${known}.`,
          "Use one of these with --harness.",
          { details: { harness: id } }
        )
      }

      const find = (id: string) => {
        const entry = harnesses.find(id)
        return entry === undefined ? Effect.fail(unknown(id)) : Effect.succeed(entry)
      }

      return HarnessPreparation.of({
        checkKnown: (id) => id === commandHarness ? Effect.void : Effect.asVoid(find(id)),
        firstTurn: (id) => Effect.suspend(() => {
          const begun = harnesses.begunTurn(id)
          return begun === undefined ? ids.mint("turn") : Effect.succeed(begun)
        }),
        prepare: Effect.fn("HarnessPreparation.prepare")(function*(wanted, turnId, coordinate) {
          const entry = yield* find(wanted.harness)
          if (entry.agent === "outside" && wanted.approvals === "ask") return yield* askUnsupported(entry)
          const model = yield* modelOf(entry, wanted)
          const isCalled = entry.agent === "outside" && agentCallVerdict(wanted.agentCalls) !== "refused"
          const agentCallServer = isCalled ? yield* servers.open(turnId) : undefined
          const prepared = yield* entry.harness.prepare({
            workspace: wanted.workspace,
            environment: harnesses.environment,
            turnId,
            secrets: agentCallServer === undefined ? [] : [agentCallServer.secret],
            ...(agentCallServer === undefined ? {} : { agentCallServer: agentCallServer.server }),
            ...(coordinate === undefined ? {} : { coordinate }),
            ...(model === undefined ? {} : { model })
          }).pipe(
            Effect.onError(() => agentCallServer?.close ?? Effect.void),
            Effect.mapError((error) => unprepared(entry, error))
          )
          return {
            prepared: closedWith(prepared, agentCallServer),
            agent: entry.agent,
            ...(coordinate === undefined ? {} : { coordinate }),
            ...(agentCallServer === undefined ? {} : { agentCallServer }),
            ...(model === undefined ? {} : { model })
          }
        })
      })
    })
  )
}
