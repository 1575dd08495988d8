/**
 * What a model may see of one Session, kept while a Turn is at work and read on from where it ended.
 *
 * Ordering: by sequence; what was read before stays as it is, so that a reader may go on behind it.
 * Limits: what cannot be read as an event is left out.
 */
import type { ConversationId, StoredEvent } from "@steno/contracts"
import type { LedgerError, TurnLedger } from "@steno/ledger"
import { Effect } from "effect"

const pageEvents = 500

/** Resolves with everything that is stored by then; always the same growing list. */
export type SessionContext = Effect.Effect<ReadonlyArray<StoredEvent>, LedgerError>

export const makeSessionContext = (ledger: TurnLedger["Service"], conversationId: ConversationId): SessionContext => {
  const events: Array<StoredEvent> = []
  let after = 0
  return Effect.gen(function*() {
    for (let isComplete = false; !isComplete;) {
      const page = yield* ledger.sessionContext({ conversationId, after, limit: pageEvents })
      events.push(...page.events.filter((event) => event.type !== "unreadable"))
      after = page.readTo
      isComplete = page.isComplete
      if (!isComplete) yield* Effect.yieldNow
    }
    return events
  })
}
