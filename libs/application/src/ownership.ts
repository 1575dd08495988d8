/** Whether a Run is live, and where. */
import type { RunRow } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { Effect } from "effect"

/** `abandoned`: its owner is verified dead. An owner of whom nothing can be told counts as alive elsewhere. */
export type Ownership = "resting" | "here" | "elsewhere" | "abandoned"

export const ownershipOf = Effect.fnUntraced(function*(
  run: Pick<RunRow, "owner">
): Effect.fn.Return<Ownership, never, ProcessHost> {
  const host = yield* ProcessHost
  if (run.owner === undefined) return "resting"
  const self = yield* host.self
  if (
    run.owner.bootId === self.bootId && run.owner.pid === self.pid && run.owner.startTime === self.startTime
  ) return "here"
  return (yield* host.liveness(run.owner)) === "dead" ? "abandoned" : "elsewhere"
})
