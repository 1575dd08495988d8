/** What a capture keeps of each of its files. */
import { captureLimits } from "@steno/contracts"

export interface CaptureCaps {
  readonly headBytes: number
  readonly tailBytes: number
  readonly borderBytes: number
  readonly partialLineMs: number
  readonly partialLineBytes: number
  readonly waitingBytes: number
  readonly writeBytes: number
}

export const defaultCaps: CaptureCaps = captureLimits
