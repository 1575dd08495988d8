/** What becomes of the texts and calls that a harness tells of in one Turn. */
import type { TurnEvent, TurnHost, TurnResult } from "@steno/harness-seam"
import type { LedgerError } from "@steno/ledger"
import type { OpenCallResponse } from "@steno/tool-call-service"
import type { Effect } from "effect"

export interface TurnItems {
  /** Takes an event of the Turn. Never waits. */
  readonly observe: (event: TurnEvent) => void
  /** Where the output of a call goes that the harness runs itself. */
  readonly outputSink: TurnHost["outputSink"]
  /**
   * Stores what the Turn ended in the middle of, behind everything that was told; resolves with responses for calls that it left
   * open, which are stored with the Turn's result. Once.
   */
  readonly leave: (result: TurnResult) => Effect.Effect<ReadonlyArray<OpenCallResponse>, LedgerError>
}
