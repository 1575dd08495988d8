/**
 * Why a policy file could not be confirmed or changed. Nothing was written in any of these cases, unless said otherwise.
 *
 * Refusals: `PolicyInvalid`, `PolicyNotFound`, `PolicyChanged`, `PolicyUnconfirmed`, `PolicyIsLink`. Failure: `PolicyStorageFailed`.
 */
import { Schema } from "effect"

export class PolicyInvalid extends Schema.TaggedError<PolicyInvalid>()("PolicyInvalid", {
  path: Schema.String,
  /** `line 3, column 7`, `rules[2].effect`, or `file`. */
  position: Schema.String,
  explanation: Schema.String
}) {
  override get message() {
    return `${this.path} is no valid policy file (${this.position}: ${this.explanation})`
  }
}

export class PolicyNotFound extends Schema.TaggedError<PolicyNotFound>()("PolicyNotFound", { path: Schema.String }) {
  override get message() {
    return `there is no ${this.path}`
  }
}

/** The file is not the one that was looked at. */
export class PolicyChanged extends Schema.TaggedError<PolicyChanged>()("PolicyChanged", {
  path: Schema.String,
  expected: Schema.String,
  found: Schema.String
}) {
  override get message() {
    return `${this.path} has digest ${this.found}, not ${this.expected}`
  }
}

/** The Workspace's file holds rules that nobody confirmed; writing it would confirm them unseen. */
export class PolicyUnconfirmed extends Schema.TaggedError<PolicyUnconfirmed>()("PolicyUnconfirmed", { path: Schema.String }) {
  override get message() {
    return `${this.path} is not confirmed`
  }
}

/** A link stands where the Workspace's own file has to be; it was not followed. */
export class PolicyIsLink extends Schema.TaggedError<PolicyIsLink>()("PolicyIsLink", { path: Schema.String }) {
  override get message() {
    return `${this.path} is a link, or no regular file`
  }
}

/** The system refused; a file is as it was, or replaced whole. A retry may help. */
export class PolicyStorageFailed extends Schema.TaggedError<PolicyStorageFailed>()("PolicyStorageFailed", {
  path: Schema.String,
  /** `ENOSPC`, `EACCES`, `EROFS`, … */
  code: Schema.String
}) {
  override get message() {
    return `${this.path} could not be written: ${this.code}`
  }
}

export const PolicyReason = Schema.Union([
  PolicyInvalid,
  PolicyNotFound,
  PolicyChanged,
  PolicyUnconfirmed,
  PolicyIsLink,
  PolicyStorageFailed
])
export type PolicyReason = typeof PolicyReason.Type

export class PolicyError extends Schema.TaggedError<PolicyError>()("PolicyError", { reason: PolicyReason }) {
  override get message() {
    return this.reason.message
  }

  /** Whether the same request may succeed later. */
  get isRetryable() {
    return this.reason._tag === "PolicyStorageFailed"
  }
}
