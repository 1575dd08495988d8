/**
 * Prepares the results of tools that answer with a value: what a model and a card see, the files that hold the rest.
 *
 * Owns: `result.json`, the whole result of a call whose text for a model left something out or has images.
 * Limits: a result that cannot be stored is shown without its file, with a warning.
 */
import { changedNothing, denialOf, HomeFolder, resultFile, resultFileName } from "@steno/application"
import { AssetStore } from "@steno/asset-store"
import { type AgentCallReply, type Asset, type CallReason, IdMinter, isAgentCall } from "@steno/contracts"
import { projectValue, type ValueCall } from "@steno/result-projection"
import type { EndedCall, EndedResult, PreparedResult } from "@steno/tool-call-service"
import { Effect, Predicate, Result } from "effect"
import { KeptImages } from "./result-images.ts"

const valueCallOf = ({ arguments: sent, origin, tool }: EndedCall, result: EndedResult): ValueCall => {
  const { begun, durationMs, end, value } = result
  const denial = denialOf({ ...result, outcome: end.outcome })
  return {
    tool,
    origin: origin === "observed" ? "client" : origin,
    end: {
      outcome: end.outcome,
      ...(end.reason === undefined ? {} : { reason: end.reason }),
      ...(denial === undefined ? {} : { denial }),
      ...(begun && !changedNothing({ origin, ...end }) ? {} : { begun: false })
    },
    ...(durationMs === undefined ? {} : { durationMs }),
    arguments: sent,
    ...(value === undefined ? {} : { result: value })
  }
}

/** The reply of an Agent call that was taken, as its handler gave it. */
const takenReply = ({ tool }: EndedCall, { value }: EndedResult): AgentCallReply | undefined => {
  if (!isAgentCall(tool) || !Predicate.hasProperty(value, "reply")) return undefined
  return value.reply === "accepted" ? "accepted" : value.reply === "held" ? "held-for-review" : undefined
}

const preparedOf = (
  { agent, card, decision: { warnings: found = [] }, images }: ReturnType<typeof projectValue>,
  assets: ReadonlyArray<Asset>,
  more: ReadonlyArray<CallReason> = []
): PreparedResult => {
  const warnings = [...found, ...more]
  return {
    agentProjection: agent,
    ...(images === undefined ? {} : { agentImages: images }),
    cardProjection: card,
    assets,
    ...(warnings.length === 0 ? {} : { warnings })
  }
}

export const makeValueResults = Effect.gen(function*() {
  const home = yield* HomeFolder
  const store = yield* AssetStore
  const images = yield* KeptImages
  const ids = yield* IdMinter

  const keep = Effect.fnUntraced(function*({ callId, conversationId }: EndedCall, value: unknown) {
    const { category, digest, path, sizeBytes } = yield* store.write({
      owner: { kind: "call", conversationId, callId },
      name: resultFileName,
      category: "payload",
      content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
    })
    const asset: Asset = { assetId: yield* ids.mint("asset"), callId, category, path, digest, sizeBytes }
    return asset
  })

  /** Images of a call that returned nothing are nobody's: they go with the next sweep. */
  const prepare = Effect.fnUntraced(function*(call: EndedCall, result: EndedResult): Effect.fn.Return<PreparedResult> {
    const valueCall = valueCallOf(call, result)
    const kept = images.take(call.callId)
    const projection = projectValue(valueCall)
    if (result.value === undefined) return preparedOf(projection, [])
    const reply = takenReply(call, result)
    if (reply !== undefined) return { ...preparedOf(projection, []), agentCallReply: reply }
    if (projection.decision.fits && kept.length === 0) return preparedOf(projection, [])
    const stored = yield* Effect.result(keep(call, result.value))
    return Result.isSuccess(stored)
      ? preparedOf(projectValue({ ...valueCall, files: [resultFile(home.path, stored.success)] }), [...kept, stored.success])
      : preparedOf(projection, kept, [{ code: "result-not-stored", text: `The complete result could not be stored: ${stored.failure.message}` }])
  })

  return { prepare }
})
