/** How a Turn of opencode is read. */
import { opencode } from "../acp-presets.ts"
import type { TurnReading } from "../session-reader.ts"

export const opencodeReading: TurnReading = {
  offered: opencode.offered,
  readResult: opencode.readResult,
  thoughts: opencode.thoughts,
  isOwn: () => false
}
