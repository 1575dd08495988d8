/** Why a call could not be admitted or settled. */
import { LedgerError } from "@steno/ledger/calls"
import { Schema } from "effect"
import { SpaceNotMeasured, StorageLow } from "./call-space.ts"

/** The ledger refused or failed while the call was admitted; nothing ran. */
export class CallNotAdmitted extends Schema.TaggedError<CallNotAdmitted>()("CallNotAdmitted", { cause: LedgerError }) {
  override get message() {
    return this.cause.message
  }
}

/** The call ran, but its response could not be stored; the next open of the home settles it. */
export class CallNotSettled extends Schema.TaggedError<CallNotSettled>()("CallNotSettled", {
  callId: Schema.String,
  cause: LedgerError
}) {
  override get message() {
    return this.cause.message
  }
}

export class ToolCallError extends Schema.TaggedError<ToolCallError>()("ToolCallError", {
  reason: Schema.Union([StorageLow, SpaceNotMeasured, CallNotAdmitted, CallNotSettled])
}) {
  override get message() {
    return this.reason.message
  }
}
