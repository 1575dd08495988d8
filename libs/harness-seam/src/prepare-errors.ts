/**
 * Why a harness is not there to be used.
 *
 * Owns: the closed list of reasons. Nothing of a Turn was sent when one of them is given.
 * Limits: `explanation` and `remedy` are for people and hold no secret and no environment.
 */
import { Schema } from "effect"

const told = { explanation: Schema.String, /** What a person can do. */ remedy: Schema.String }

/** No program of that name or path. */
export class HarnessNotFound extends Schema.TaggedError<HarnessNotFound>()("HarnessNotFound", told) {
  readonly code = "not-found"
  override get message() {
    return this.explanation
  }
}

/** The program is there and cannot be run. */
export class HarnessNotExecutable extends Schema.TaggedError<HarnessNotExecutable>()("HarnessNotExecutable", told) {
  readonly code = "not-executable"
  override get message() {
    return this.explanation
  }
}

/** Its version is not one that is understood. */
export class HarnessVersionUnsupported
  extends Schema.TaggedError<HarnessVersionUnsupported>()("HarnessVersionUnsupported", told)
{
  readonly code = "version-unsupported"
  override get message() {
    return this.explanation
  }
}

/** It wants a person to log in first. */
export class HarnessAuthRequired extends Schema.TaggedError<HarnessAuthRequired>()("HarnessAuthRequired", told) {
  readonly code = "auth-required"
  override get message() {
    return this.explanation
  }
}

/** It did not answer its handshake as it should. */
export class HarnessProbeFailed extends Schema.TaggedError<HarnessProbeFailed>()("HarnessProbeFailed", told) {
  readonly code = "probe-failed"
  override get message() {
    return this.explanation
  }
}

/** It did not answer in time; a retry may help. */
export class HarnessTimedOut extends Schema.TaggedError<HarnessTimedOut>()("HarnessTimedOut", told) {
  readonly code = "timed-out"
  override get message() {
    return this.explanation
  }
}

export class PrepareError extends Schema.TaggedError<PrepareError>()("PrepareError", {
  reason: Schema.Union([
    HarnessNotFound,
    HarnessNotExecutable,
    HarnessVersionUnsupported,
    HarnessAuthRequired,
    HarnessProbeFailed,
    HarnessTimedOut
  ])
}) {
  override get message() {
    return this.reason.message
  }
}
