/**
 * The rules that persons allowed for a Session.
 *
 * Owns: which rules of a Session count from now on: those on record when an owner first asks for them, then each as it is recorded.
 * Limits: what is known counts for one epoch, in which nobody else records any. Where the record cannot be read none is known: a call then asks that might have been allowed.
 */
import type { ConversationId, Interaction, PolicyRule } from "@steno/contracts"
import { CallLedger, type Fence } from "@steno/ledger/calls"
import { Effect } from "effect"
import { keptRules } from "./answer-rules.ts"

interface SessionEntry {
  readonly epoch: number
  rules: ReadonlyArray<PolicyRule>
  isRead: boolean
}

const rulesOf = ({ request, resolution }: Interaction): ReadonlyArray<PolicyRule> =>
  request.kind === "approval" && resolution !== undefined && "approval" in resolution.value
    ? keptRules(request, resolution.value.approval)
    : []

export const makeSessionRules = Effect.gen(function*() {
  const ledger = yield* CallLedger
  const sessions = new Map<ConversationId, SessionEntry>()

  const entryOf = ({ epoch }: Fence, conversationId: ConversationId): SessionEntry => {
    const known = sessions.get(conversationId)
    if (known?.epoch === epoch) return known
    const entry = { epoch, rules: [], isRead: false }
    sessions.set(conversationId, entry)
    return entry
  }

  /** What is recorded while the log is read counts, whether the reading has met it or not. */
  const read = (conversationId: ConversationId, entry: SessionEntry) =>
    ledger.sessionApprovals(conversationId).pipe(
      Effect.map((approvals) => {
        if (!entry.isRead) entry.rules = [...approvals.flatMap(rulesOf), ...entry.rules]
        entry.isRead = true
      }),
      Effect.catch((error) => Effect.logDebug("Approvals of a Session not read", error))
    )

  return {
    of: Effect.fnUntraced(function*(fence: Fence, conversationId: ConversationId) {
      const entry = entryOf(fence, conversationId)
      if (!entry.isRead) yield* read(conversationId, entry)
      return entry.rules
    }),
    /** A Session whose log was not read yet is told of it by the log. */
    keep: (fence: Fence, conversationId: ConversationId, rules: ReadonlyArray<PolicyRule>): void => {
      const entry = entryOf(fence, conversationId)
      entry.rules = [...entry.rules, ...rules]
    }
  }
})
export type SessionRules = Effect.Success<typeof makeSessionRules>
