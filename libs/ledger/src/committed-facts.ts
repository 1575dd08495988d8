/**
 * What was committed, told after the commit.
 *
 * Ordering: an event is published after its commit, in sequence; nothing is published for a rollback.
 */
import type { StoredEvent } from "@steno/contracts"
import { Context, type Stream } from "effect"

export class CommittedFacts extends Context.Service<CommittedFacts, {
  /** Events committed by this process from now on. */
  readonly events: Stream.Stream<StoredEvent>
  /** Fires after commits of other processes (`PRAGMA data_version`), looked for every 100 ms while somebody listens. */
  readonly otherProcesses: Stream.Stream<void>
}>()("@steno/ledger/CommittedFacts") {}
