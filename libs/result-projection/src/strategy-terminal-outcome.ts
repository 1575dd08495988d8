/**
 * Says how a call ended that has no result to show.
 *
 * Owns: the words for every end that is none of the tool's own: denied, interrupted, cancelled, failed, indeterminate.
 * Ordering: headline, tool, reason, resource and its state, what to do next.
 * Limits: the reason keeps its end; a resource is whole or absent; an end nobody can judge is never worded as failed.
 */
import type { CallOutcome, CallReason } from "@steno/contracts"
import { cleanText } from "./clean-text.ts"
import { clipAtGrapheme, endOfText, utf8Bytes } from "./clipped-text.ts"
import { countWords } from "./process-status.ts"
import { pathText } from "./path-text.ts"
import { type Budget, profiles } from "./profiles.ts"
import type { Reduced } from "./strategy.ts"
import { isWithin, leadingLines, linesOf, roomBeside, sizeOf } from "./text-lines.ts"
import { withoutUrlSecrets } from "./url-secrets.ts"
import { visibleLines } from "./visible-lines.ts"

/** Who refused a call. Absent: it is not known. */
export interface Denial {
  readonly by: "person" | "policy" | "guardrail" | "client-policy"
  readonly rule?: string
  /** The part of a command that the rule refused. */
  readonly segment?: string
}

export interface EndFacts {
  readonly outcome: CallOutcome
  readonly reason?: CallReason
  readonly denial?: Denial
  /** True only: an interrupt of the Turn ended it. */
  readonly interrupted?: true
  /** False: it is certain that it had no effect. */
  readonly begun?: boolean
}

export interface TerminalFacts extends EndFacts {
  readonly tool: string
  /** Path, URL or id it was about. */
  readonly resource?: string
}

const profile = profiles.terminal_outcome
const sentenceBytes = 300
const partialOpeningBytes = 120

/** Ends that hide whatever a tool may have returned. */
export const endsWithoutResult = (outcome: CallOutcome): boolean =>
  outcome === "denied" || outcome === "cancelled" || outcome === "indeterminate"

const clipped = (text: string): string => clipAtGrapheme(withoutUrlSecrets(visibleLines(text).join(" ").trim()), sentenceBytes)

/** A policy denies by a rule; a guardrail and a client need none. */
const ruleWords = ({ by, rule, segment }: Denial): string => {
  const unknown = by === "policy" ? ", the rule was not recorded" : ""
  return `${rule === undefined ? unknown : `, rule ${clipped(rule)}`}${segment === undefined ? "" : `, because of: ${clipped(segment)}`}`
}

const deniedHeadline = (denial: Denial | undefined): string => {
  switch (denial?.by) {
    case undefined:
      return "Denied, and it is not known by whom; the call was not run."
    case "person":
      return "Denied: a person refused it; the call was not run."
    case "policy":
      return `Denied by policy${ruleWords(denial)}; the call was not run.`
    case "guardrail":
      return `Denied by a guardrail that no rule lifts${ruleWords(denial)}; the call was not run.`
    case "client-policy":
      return `Denied by the client's policy, nobody was asked${ruleWords(denial)}; the call was not run.`
  }
}

const headline = (facts: TerminalFacts): string => {
  switch (facts.outcome) {
    case "denied":
      return deniedHeadline(facts.denial)
    case "cancelled": {
      const ended = facts.interrupted === true ? "Interrupted" : "Cancelled"
      return facts.begun === false
        ? `${ended} before it started; it had no effect.`
        : `${ended} while it ran; nothing it did is rolled back.`
    }
    case "indeterminate":
      return "Outcome unknown: it may have taken effect, and nobody can say whether it did."
    case "failed":
      return "Failed with a fault."
    case "completed":
      return "Completed."
  }
}

const readingTools: ReadonlySet<string> = new Set(["read", "grep", "find", "ls"])

const resourceState = ({ begun, outcome, tool }: TerminalFacts): string =>
  outcome === "denied" || begun === false
    ? "not touched"
    : readingTools.has(tool)
    ? "unchanged, it is only read"
    : outcome === "indeterminate"
    ? "its state is not known"
    : "it may have been changed"

const resourceText = (resource: string): string => pathText(withoutUrlSecrets(resource))

const nextAction = (facts: TerminalFacts): string => {
  switch (facts.outcome) {
    case "denied":
      return facts.denial?.by === "person"
        ? "Next: do not repeat it unchanged; follow the reason, ask, or go another way."
        : "Next: do not repeat it unchanged; go a way that is permitted, or ask the person."
    case "cancelled":
      return facts.begun === false
        ? "Next: run it again only if it is still wanted."
        : "Next: look at what it left behind before running it again."
    case "indeterminate":
      return `Next: check ${facts.resource === undefined ? "its effect" : "the resource"} before trying it again; it may be done already.`
    case "failed":
      return "Next: remove the cause before trying it again."
    case "completed":
      return "Next: go on."
  }
}

const reasonOf = (reason: CallReason | undefined): ReadonlyArray<string> =>
  reason === undefined ? [] : linesOf(cleanText(withoutUrlSecrets(reason.text)).trim())

const withLabel = ([first, ...others]: ReadonlyArray<string>): ReadonlyArray<string> =>
  first === undefined ? [] : [`Reason: ${first}`, ...others]

interface ShownReason {
  readonly lines: ReadonlyArray<string>
  /** Lines of the reason that are missing or shown in part, from its start. */
  readonly omitted: number
}

/** The end of the reason in `room`; what is left out is counted in its first line. */
const endOfReason = (lines: ReadonlyArray<string>, room: Budget): ShownReason => {
  const whole = withLabel(lines)
  if (isWithin(sizeOf(whole), room)) return { lines: whole, omitted: 0 }
  const opening = (shown: number) =>
    `Reason, its end: [${shown} of ${countWords(lines.length, "line", "lines")} shown, ${lines.length - shown} not shown]`
  const left = roomBeside([opening(lines.length), ""], room)
  const shown = leadingLines(lines.toReversed(), { lines: left.lines + 1, bytes: left.bytes })
  if (shown > 0) return { lines: [opening(shown), ...lines.slice(-shown)], omitted: lines.length - shown }
  const bytes = utf8Bytes(lines.at(-1) ?? "")
  const end = endOfText(lines.at(-1) ?? "", Math.max(0, room.bytes - partialOpeningBytes))
  const size = `${utf8Bytes(end)} of ${countWords(bytes, "byte", "bytes")}`
  return {
    lines: [`Reason, its end: [${size} of the last of ${countWords(lines.length, "line", "lines")} shown]`, end],
    omitted: lines.length
  }
}

export const terminalOutcome = (facts: TerminalFacts): Reduced & { readonly total: Budget } => {
  const opening = [headline(facts), `Tool: ${clipped(facts.tool)}`]
  const resource = facts.resource === undefined ? [] : [`Resource: ${resourceText(facts.resource)} (${resourceState(facts)})`]
  const next = nextAction(facts)
  const framed = [...opening, ...resource, next]
  // The fault's own text is always told, so a resource that leaves no room for it gives way.
  const frame = isWithin(sizeOf(framed), { lines: profile.overflow.lines, bytes: profile.overflow.bytes / 2 })
    ? framed
    : [...opening, next]
  const reason = reasonOf(facts.reason)
  const shown = endOfReason(reason, roomBeside(frame, profile.overflow))
  const lines = [...opening, ...shown.lines, ...frame.slice(opening.length)]
  return {
    strategy: "terminal-outcome",
    lines,
    images: [],
    payload: sizeOf(lines),
    kept: lines.map((_, index) => ({ line: index + 1, why: "how the call ended" })),
    omitted: shown.omitted === 0 ? [] : [{ from: 1, to: shown.omitted }],
    total: sizeOf([...opening, ...withLabel(reason), ...resource, next])
  }
}

const named = (args: unknown, key: string): string | undefined => {
  if (typeof args !== "object" || args === null) return undefined
  const value: unknown = Object.entries(args).find(([name]) => name === key)?.[1]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** What a call was about, from its arguments. */
export const resourceOf = (args: unknown): string | undefined => named(args, "path") ?? named(args, "url") ?? named(args, "id")
