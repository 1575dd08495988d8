/**
 * Permissions that an agent asks for, as requests of the Seam.
 *
 * Owns: which option is which decision, the forms of the answer.
 * Never owns: who decides (the host).
 * Limits: options of an unknown kind are not offered; no native id of an option shows.
 */
import type { PermissionOptionKind, RequestPermissionOutcome } from "@agentclientprotocol/sdk"
import type { RequestAnswer, RequestDecision } from "@steno/harness-seam"
import { type JsonRecord, recordsOf, textOf, wordsOf } from "./lenient-value.ts"

interface OfferedOption {
  readonly optionId: string
  readonly decision: RequestDecision
}

const kinds: ReadonlyMap<string, RequestDecision["kind"]> = new Map<PermissionOptionKind, RequestDecision["kind"]>([
  ["allow_once", "allow"],
  ["allow_always", "allow-always"],
  ["reject_once", "deny"],
  ["reject_always", "deny"]
])

const words: Readonly<Record<RequestDecision["kind"], string>> = {
  "allow": "Allow",
  "allow-always": "Always allow",
  "deny": "Deny",
  "option": "Answer"
}

export const offeredOptions = (options: unknown): ReadonlyArray<OfferedOption> =>
  recordsOf(options).flatMap(({ kind, name, optionId }: JsonRecord, index): ReadonlyArray<OfferedOption> => {
    const [id, meant] = [textOf(optionId), kinds.get(textOf(kind) ?? "")]
    if (id === undefined || meant === undefined) return []
    return [{ optionId: id, decision: { id: `${index + 1}`, kind: meant, label: wordsOf(name) ?? words[meant] } }]
  })

export interface PermissionOutcome {
  readonly outcome: RequestPermissionOutcome
  /** The option that was taken refuses the call. */
  readonly refused: boolean
}

export const cancelledPermission: PermissionOutcome = { outcome: { outcome: "cancelled" }, refused: false }

/** For a call that needs nobody's leave. */
export const allowedOnce = (offered: ReadonlyArray<OfferedOption>): PermissionOutcome => {
  const allowing = offered.find(({ decision }) => decision.kind === "allow")
  return allowing === undefined
    ? cancelledPermission
    : { outcome: { outcome: "selected", optionId: allowing.optionId }, refused: false }
}

/** An answer that is none of the offered ones is as if nobody had answered. */
export const outcomeOf = (answer: RequestAnswer, offered: ReadonlyArray<OfferedOption>): PermissionOutcome => {
  const taken = answer.kind === "answered" ? offered.find(({ decision }) => decision.id === answer.decision) : undefined
  return taken === undefined
    ? cancelledPermission
    : { outcome: { outcome: "selected", optionId: taken.optionId }, refused: taken.decision.kind === "deny" }
}
