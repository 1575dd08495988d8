/**
 * Named points of each write where a test may end the process or throw.
 *
 * Owns: the names of the points.
 * Limits: read once when the layer is built; the default costs nothing per write.
 */
import { Context } from "effect"

/** The domain writes, named as their service methods. */
export const ledgerWrites = [
  "admitRun",
  "takeOver",
  "restRun",
  "admitTurn",
  "appendTurnEvent",
  "keepCoordinate",
  "settleTurn",
  "createToolCalls",
  "proposeToolCalls",
  "advanceToolCall",
  "recordResolution",
  "recordProcess",
  "settleToolCall",
  "admitOperation",
  "settleOperation",
  "buryRun",
  "removeRun"
] as const
export type LedgerWrite = typeof ledgerWrites[number]

/** `begin`: the write lock is held, nothing is written. `before-commit`: all is written. `after-commit`: durable, not yet published. */
const moments = ["begin", "before-commit", "after-commit"] as const

/** Every point, as `<write>:<moment>`. `removeRun` meets its points once per slice. */
export const failpoints: ReadonlyArray<string> = ledgerWrites.flatMap((write) =>
  moments.map((moment) => `${write}:${moment}`)
)

/** Called synchronously at each point, again when a busy write is tried again. Absent: no point is called. */
export class Failpoint extends Context.Reference<((point: string) => void) | undefined>("@steno/ledger/Failpoint", {
  defaultValue: () => undefined
}) {}
