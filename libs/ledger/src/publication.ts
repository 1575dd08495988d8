/**
 * Tells what was committed, here and in other processes.
 *
 * Owns: the in-process channel of committed events, the watch of `PRAGMA data_version`.
 * Ordering: publication happens in the fiber of the writer, right after the commit, in order of commits.
 * Limits: unbounded per subscriber: a slow one never blocks a writer and never loses an event, it costs memory.
 */
import { ledgerLimits, type StoredEvent } from "@steno/contracts"
import { Effect, PubSub, Stream } from "effect"
import type { CommittedFacts } from "./committed-facts.ts"
import type { SqliteClient } from "./sqlite-client.ts"

export interface Publication {
  readonly publish: (events: ReadonlyArray<StoredEvent>) => void
  readonly facts: CommittedFacts["Service"]
}

/** Fires when the version differs from the one last seen; a version that cannot be read now counts as unchanged. */
const watch = (client: SqliteClient): Stream.Stream<void> => {
  const version = Effect.orElseSucceed(
    client.attempt("dataVersion", () => client.value<number>("PRAGMA data_version").get()),
    () => undefined
  )
  return Stream.unwrap(Effect.map(version, (first) => {
    let seen = first
    const changed: Effect.Effect<void> = Effect.flatMap(
      Effect.andThen(Effect.sleep(ledgerLimits.watchMs), version),
      (found) => {
        if (found === undefined || found === seen) return changed
        seen = found
        return Effect.void
      }
    )
    return Stream.fromEffectRepeat(changed)
  }))
}

export const makePublication = (client: SqliteClient): Effect.Effect<Publication> =>
  Effect.map(PubSub.unbounded<StoredEvent>(), (events) => ({
    publish: (committed) => {
      for (const event of committed) PubSub.publishUnsafe(events, event)
    },
    facts: { events: Stream.fromPubSub(events), otherProcesses: watch(client) }
  }))
