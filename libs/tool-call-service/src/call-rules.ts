/**
 * Pure rules of a tool call: which change of state is legal, what its end means.
 *
 * Owns: the state machine and the table from a process's end to an outcome.
 * Never owns: performing a change (tool-call-service), storing it (ledger).
 */
import type { CallOutcome, CallReason, CallState, Supervision } from "@steno/contracts"
import { Result, Schema } from "effect"
import type { InProcessEnd, ProcessEnd, ToolEnd } from "./host-tools.ts"

/** A settled call has no state any more; `gone` stands for that here. */
export type CallPosition = CallState | "gone"

const legalChanges: Readonly<Record<CallPosition, ReadonlyArray<CallPosition>>> = {
  supervising: ["awaiting_approval", "ready", "gone"],
  awaiting_approval: ["ready", "gone"],
  ready: ["running", "gone"],
  running: ["awaiting_input", "gone"],
  awaiting_input: ["gone"],
  gone: []
}

/** A step that no call may take. */
export class IllegalChange extends Schema.TaggedError<IllegalChange>()("IllegalChange", {
  from: Schema.String,
  to: Schema.String
}) {
  override get message() {
    return `A call cannot go from ${this.from} to ${this.to}`
  }
}

/** Where a call is that one commit carries over these positions, beginning in the first. Fails with the first illegal step. */
export const carryOver = <First extends CallPosition, Next extends CallPosition>(
  first: First,
  ...rest: ReadonlyArray<Next>
): Result.Result<First | Next, IllegalChange> => {
  let at: First | Next = first
  for (const to of rest) {
    if (!legalChanges[at].includes(to)) return Result.fail(new IllegalChange({ from: at, to }))
    at = to
  }
  return Result.succeed(at)
}

/** What a direct command passes in the commit that admits it. */
export const directCommandPath = ["supervising", "ready", "running"] as const

export interface DecidedEnd {
  readonly outcome: CallOutcome
  readonly reason?: CallReason
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut?: true
}

/** The end of a call that was stopped before anything of it ran. */
export const cancelledBeforeStart: DecidedEnd = {
  outcome: "cancelled",
  reason: { code: "cancelled", text: "Ended on request before it began." }
}

/** The end of a call that was stopped while a person was asked for its answer. */
export const cancelledUnanswered: DecidedEnd = {
  outcome: "cancelled",
  reason: { code: "cancelled", text: "Ended on request before it was answered." }
}

/** The end of a call that may not begin. */
export const deniedBy = ({ by, reason }: Pick<Supervision, "by" | "reason">): DecidedEnd => {
  switch (by) {
    case "policy":
      return { outcome: "denied", reason: { code: "denied-by-policy", text: reason ?? "The permission policy denies it." } }
    case "user":
      return { outcome: "denied", reason: { code: "denied-by-person", text: reason ?? "A person denied it." } }
    case "client-policy":
      return { outcome: "denied", reason: { code: "denied-by-client", text: reason ?? "The client denies whatever asks for approval." } }
  }
}

/** The end of a call that did not get as far as running. */
export const failedBecause = (code: string, text: string): DecidedEnd => ({ outcome: "failed", reason: { code, text } })

/** The end of a call that was stopped without proof that everything of it is gone. */
export const stopNotConfirmed: DecidedEnd = {
  outcome: "indeterminate",
  reason: { code: "stop-not-confirmed", text: "Stopped, but its effect is not confirmed. Nothing was rolled back." }
}

/** The status as it was collected; empty when nobody collected one. */
const collectedStatus = (end: ProcessEnd): Pick<DecidedEnd, "exitCode" | "signal"> => {
  if (end.exit === undefined) return {}
  return end.exit.kind === "exited" ? { exitCode: end.exit.code } : { signal: end.exit.signal }
}

const cancelled: DecidedEnd = {
  outcome: "cancelled",
  reason: { code: "cancelled", text: "Ended on request. Nothing was rolled back." }
}

/** A stop that a tool of this process met with a fault of its own tells nothing about what it had done by then. */
const decideInProcessEnd = (end: InProcessEnd, stopRequested: boolean): DecidedEnd => {
  switch (end.kind) {
    case "result":
      return { outcome: "completed" }
    case "fault":
      return stopRequested ? stopNotConfirmed : { outcome: "failed", reason: end.reason }
    case "aborted":
      return cancelled
  }
}

const decideProcessEnd = (end: ProcessEnd, stopRequested: boolean): DecidedEnd => {
  const status = collectedStatus(end)
  if (stopRequested && end.stopped !== undefined) {
    return end.stopped === "confirmed"
      ? { ...cancelled, ...status }
      : stopNotConfirmed
  }
  if (end.timedOut) {
    return {
      outcome: "failed",
      timedOut: true,
      reason: { code: "timed-out", text: "The time limit was reached and the command was ended." },
      ...status
    }
  }
  if (end.exit === undefined) {
    return {
      outcome: "indeterminate",
      reason: { code: "status-not-collected", text: "Nobody collected the exit status of the command." }
    }
  }
  return { outcome: "completed", ...status }
}

/**
 * The outcome of a tool that ran. A non-zero exit is `completed`: the tool did what it was asked.
 * @param stopRequested somebody asked to end the call; a tool that had ended by itself before keeps its own end
 */
export const decideEnd = (end: ToolEnd, stopRequested: boolean): DecidedEnd =>
  end.kind === "process" ? decideProcessEnd(end, stopRequested) : decideInProcessEnd(end, stopRequested)

/** The end of an observed call of which its Turn's end left none. */
export const endNotReported: DecidedEnd = {
  outcome: "indeterminate",
  reason: { code: "end-not-reported", text: "The Turn was over before an end of this call was reported. What came of it is not known." }
}

/** What becomes of an unfinished call whose owner is gone. */
export const decideAbandoned = (state: CallState): DecidedEnd => {
  switch (state) {
    case "running":
      return {
        outcome: "indeterminate",
        reason: {
          code: "owner-gone",
          text: "The process that ran this call is gone. The call may have taken effect; its exit status was not collected."
        }
      }
    case "awaiting_input":
      return {
        outcome: "cancelled",
        reason: { code: "owner-gone", text: "The process that held this call is gone. Its question was not answered." }
      }
    default:
      return {
        outcome: "cancelled",
        reason: { code: "owner-gone", text: "The process that held this call is gone. The call never started." }
      }
  }
}
