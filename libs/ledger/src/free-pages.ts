/**
 * Gives pages that no row needs any more back to the file system.
 *
 * Owns (docs/adr/0022-give-free-pages-back-in-small-transactions.md): when that is worth it, how much one transaction moves, the one rewrite of a database made before it could do so.
 * Ordering: the file itself is cut when a checkpoint moves the last of these transactions into it.
 * Limits: a transaction moves at most `slicePages`; other fibers and other processes get their turn in between. A
 * rewrite holds the write lock as long as copying the live rows takes, so it waits until no Run is live.
 */
import { Effect } from "effect"
import type { LedgerError } from "./ledger-errors.ts"
import type { Connection, SqliteClient } from "./sqlite-client.ts"

const slicePages = 64

/** Fewer free pages than one in so many are left for the rows to come. */
const worthwhileShare = 20

/** What SQLite calls `auto_vacuum = INCREMENTAL`. A new database is made so; another one becomes so by a rewrite only. */
const incremental = 2

const number = (connection: Connection, pragma: string): number => Number(connection.pragma(pragma, { simple: true }))

const freePages = (connection: Connection): number => number(connection, "freelist_count")

/** Before the first table of a new database. */
export const keepPagesMovable = (connection: Connection): void => void connection.pragma("auto_vacuum = INCREMENTAL")

const isAnyRunLive = (client: SqliteClient): boolean =>
  client.value<number>("SELECT EXISTS (SELECT 1 FROM run WHERE owner_pid IS NOT NULL)").get() === 1

const rewrite = (client: SqliteClient): void => {
  if (isAnyRunLive(client)) return
  keepPagesMovable(client.connection)
  client.connection.exec("VACUUM")
}

export const makePageReturn = (client: SqliteClient): Effect.Effect<void, LedgerError> => {
  const { connection } = client
  const attempt = <A>(body: () => A) => client.attempt("giveBackPages", body)
  const slice = attempt(() => {
    connection.pragma(`incremental_vacuum(${slicePages})`)
    return freePages(connection)
  })
  return Effect.gen(function*() {
    const found = yield* attempt(() => ({
      isWorthwhile: freePages(connection) * worthwhileShare > number(connection, "page_count"),
      isMovable: number(connection, "auto_vacuum") === incremental
    }))
    if (!found.isWorthwhile) return
    if (!found.isMovable) yield* attempt(() => rewrite(client))
    else while ((yield* slice) > 0) yield* Effect.yieldNow
    yield* attempt(() => connection.pragma("wal_checkpoint(PASSIVE)"))
  })
}
