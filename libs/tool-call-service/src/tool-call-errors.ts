/** Why a call could not be admitted, judged or settled. */
import { LedgerError } from "@steno/ledger/calls"
import { Schema } from "effect"
import { SpaceNotMeasured, StorageLow } from "./call-space.ts"
import { PolicyUnusable } from "./call-supervision.ts"

/** The ledger refused or failed while the call was admitted; nothing ran. */
export class CallNotAdmitted extends Schema.TaggedError<CallNotAdmitted>()("CallNotAdmitted", { cause: LedgerError }) {
  override get message() {
    return this.cause.message
  }
}

/** Nobody could say whether a direct command may run; it was not created and did not. */
export class CallNotJudged extends Schema.TaggedError<CallNotJudged>()("CallNotJudged", { cause: Schema.Defect() }) {
  override get message() {
    return "The permission policy failed, so that the command was not started"
  }
}

/** What became of the call could not be stored; its row stays for whoever settles its Turn. */
export class CallNotSettled extends Schema.TaggedError<CallNotSettled>()("CallNotSettled", {
  callId: Schema.String,
  cause: LedgerError
}) {
  override get message() {
    return this.cause.message
  }
}

/** This process let go of the call while it awaited a person; its row stays for whoever drives the Turn on. */
export class CallReleased extends Schema.TaggedError<CallReleased>()("CallReleased", { callId: Schema.String }) {
  override get message() {
    return `Call ${this.callId} awaits a person and is carried on elsewhere`
  }
}

export class ToolCallError extends Schema.TaggedError<ToolCallError>()("ToolCallError", {
  reason: Schema.Union([
    StorageLow,
    SpaceNotMeasured,
    PolicyUnusable,
    CallNotJudged,
    CallNotAdmitted,
    CallNotSettled,
    CallReleased
  ])
}) {
  override get message() {
    return this.reason.message
  }
}
