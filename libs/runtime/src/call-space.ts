/** Asks the asset store for the space of a call, with the limits that the home sets. */
import { HomeFolder } from "@steno/application"
import { AssetStore } from "@steno/asset-store"
import { CallSpace, SpaceNotMeasured, StorageLow } from "@steno/tool-call-service"
import { Effect, Layer } from "effect"

export const callSpaceLayer = Layer.effect(
  CallSpace,
  Effect.gen(function*() {
    const { config: { minFreeBytes, sessionQuotaBytes } } = yield* HomeFolder
    const assets = yield* AssetStore
    const limits = {
      ...(minFreeBytes === undefined ? {} : { minFreeBytes }),
      ...(sessionQuotaBytes === undefined ? {} : { sessionQuotaBytes })
    }
    return CallSpace.of({
      check: Effect.fn("CallSpace.check")(function*(session) {
        const space = yield* assets.checkSpace({ ...session, ...limits }).pipe(
          Effect.mapError(({ message }) => new SpaceNotMeasured({ explanation: message }))
        )
        if (space.kind === "storage-low") return yield* new StorageLow(space)
      })
    })
  })
)
