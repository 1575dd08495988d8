/**
 * Port that says whether a Session has room for one more call.
 *
 * Owns: what is asked, and the refusals.
 * Never owns: the limits and the measuring (the composition layer joins those here), what a person is told (application).
 */
import type { ConversationId } from "@steno/contracts"
import { Context, type Effect, Schema } from "effect"

/** A limit of space is reached: no new call starts; what runs, runs on. Nothing was written. */
export class StorageLow extends Schema.TaggedError<StorageLow>()("StorageLow", {
  /** Free bytes of the file system below their floor, or a Session's managed files above its quota. */
  limit: Schema.Literals(["min-free", "session-quota"]),
  /** Absolute path of the folder that is too full. */
  path: Schema.String,
  freeBytes: Schema.Finite,
  /** Of the Session. */
  usedBytes: Schema.Finite,
  limitBytes: Schema.Finite
}) {
  override get message() {
    return `${this.path}: ${this.limit} of ${this.limitBytes} bytes, ${this.freeBytes} free, ${this.usedBytes} used`
  }
}

/** The free space could not be found out. Nothing was written. */
export class SpaceNotMeasured extends Schema.TaggedError<SpaceNotMeasured>()("SpaceNotMeasured", {
  explanation: Schema.String
}) {
  override get message() {
    return this.explanation
  }
}

export class CallSpace extends Context.Service<CallSpace, {
  /** Asked before each call, so it must cost no walk through files. `usedBytes`: of the Session's managed files by now. */
  readonly check: (
    session: { readonly conversationId: ConversationId; readonly usedBytes: number }
  ) => Effect.Effect<void, StorageLow | SpaceNotMeasured>
}>()("@steno/tool-call-service/CallSpace") {}
