/** Why a script cannot be played, or does not fit a request. */
import { Schema } from "effect"

/** The file is no script; `fault` says where and why. */
export class ScriptInvalid extends Schema.TaggedError<ScriptInvalid>()("ScriptInvalid", { fault: Schema.String }) {
  override get message() {
    return `not a script: ${this.fault}`
  }
}

/** No step answers this request. Nothing was used up: a request that fits is still answered. */
export class ScriptMismatch extends Schema.TaggedError<ScriptMismatch>()("ScriptMismatch", {
  /** The step that came next, or that there is none left. */
  step: Schema.String,
  faults: Schema.Array(Schema.String)
}) {
  override get message() {
    return `script mismatch at ${this.step}: ${this.faults.join("; ")}`
  }
}
