/** Proof of ownership that every write of a Run's facts carries. */
import type { RunId } from "@steno/contracts"

export interface Fence {
  readonly runId: RunId
  /** Counts the Run's owners from 1; a write with an older one is refused. */
  readonly epoch: number
}
