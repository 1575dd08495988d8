/**
 * One SQLite connection behind Effects that never wait synchronously for a lock.
 *
 * Owns: connection settings, the statement cache, retry of busy attempts, mapping of thrown errors.
 * Never owns: which statements make up a domain write.
 * Limits: an attempt runs synchronously to its end; a busy one is tried again asynchronously for `ledgerLimits.busyMs`.
 */
import { ledgerLimits } from "@steno/contracts"
import Database from "better-sqlite3"
import { Clock, Effect, Random } from "effect"
import { LedgerError, StorageBusy, StorageFailed } from "./ledger-errors.ts"
import { isBusy, storageReason } from "./storage-reasons.ts"

export type Connection = Database.Database
export type Statement<Row = unknown> = Database.Statement<Array<unknown>, Row>

export interface SqliteClient {
  readonly path: string
  readonly connection: Connection
  /** The prepared statement of this text, made at first use. */
  readonly statement: <Row = unknown>(sql: string) => Statement<Row>
  /** As `statement`, of a text with one column: gives its value instead of a row. */
  readonly value: <Value = unknown>(sql: string) => Statement<Value>
  /** Runs `body` synchronously; a thrown `LedgerError` or storage error fails, anything else is a defect. */
  readonly attempt: <A>(operation: string, body: () => A) => Effect.Effect<A, LedgerError>
  /** Runs `body` in one read transaction. Synchronous; for use inside `attempt`. */
  readonly inSnapshot: <A>(body: () => A) => A
}

/** Waits between attempts grow by this up to the longest, each with jitter. */
const retryStepMs = 2
const longestRetryMs = 20

const thrown = (operation: string, path: string, cause: unknown): Effect.Effect<never, LedgerError> => {
  if (cause instanceof LedgerError) return Effect.fail(cause)
  const reason = storageReason(operation, path, cause)
  return reason === undefined ? Effect.die(cause) : Effect.fail(new LedgerError({ reason }))
}

/** Runs a synchronous body; while it throws busy errors it is tried again, with jitter, up to `ledgerLimits.busyMs`. */
export const attemptSync = <A>(operation: string, path: string, body: () => A): Effect.Effect<A, LedgerError> => {
  const once = (): Effect.Effect<A, LedgerError> | undefined => {
    try {
      return Effect.succeed(body())
    } catch (cause) {
      return isBusy(cause) ? undefined : thrown(operation, path, cause)
    }
  }
  return Effect.suspend(() => once() ?? retryBusy(operation, once))
}

const retryBusy = Effect.fnUntraced(function*<A>(
  operation: string,
  once: () => Effect.Effect<A, LedgerError> | undefined
) {
  const startedAt = yield* Clock.currentTimeMillis
  for (let attempt = 1;; attempt++) {
    const jitter = yield* Random.next
    yield* Effect.sleep(1 + jitter * Math.min(attempt * retryStepMs, longestRetryMs))
    const outcome = once()
    if (outcome !== undefined) return yield* outcome
    const waitedMs = (yield* Clock.currentTimeMillis) - startedAt
    if (waitedMs >= ledgerLimits.busyMs) {
      return yield* new LedgerError({ reason: new StorageBusy({ operation, waitedMs }) })
    }
  }
})

/** Older versions can corrupt a WAL file that several connections use (sqlite.org/wal.html, "The WAL-Reset Bug"). */
export const oldestSafeSqlite = "3.51.3"

/** Fails with code `SQLITE_VERSION` for a version that is not safe. */
export const checkSqliteVersion = (path: string, version: string): void => {
  const [found, oldest] = [version, oldestSafeSqlite].map((text) => text.split(".").map(Number))
  for (let index = 0; index < 3; index++) {
    const difference = (found?.[index] ?? 0) - (oldest?.[index] ?? 0)
    if (difference > 0) return
    if (difference < 0) {
      const cause = new Error(`SQLite ${version} is older than ${oldestSafeSqlite}`)
      throw new LedgerError({ reason: new StorageFailed({ operation: "open", path, code: "SQLITE_VERSION", cause }) })
    }
  }
}

/** Opens a connection that never waits for a lock. Creates no file unless `path` is `:memory:`. */
export const connect = (path: string, options: { readonly readonly: boolean }): Connection => {
  const memory = path === ":memory:"
  const connection = new Database(path, { readonly: options.readonly, fileMustExist: !memory, timeout: 0 })
  try {
    checkSqliteVersion(path, connection.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "0")
    connection.pragma("foreign_keys = ON")
    if (!options.readonly) connection.pragma("synchronous = FULL")
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

const cached = (prepare: (sql: string) => Statement) => {
  const statements = new Map<string, Statement>()
  return <Row>(sql: string): Statement<Row> => {
    const known = statements.get(sql) ?? prepare(sql)
    statements.set(sql, known)
    return known as Statement<Row>
  }
}

export const makeSqliteClient = (path: string, connection: Connection): SqliteClient => {
  const statement = cached((sql) => connection.prepare(sql))
  const value = cached((sql) => connection.prepare(sql).pluck())
  const inSnapshot = <A>(body: () => A): A => {
    statement("BEGIN").run()
    try {
      return body()
    } finally {
      if (connection.inTransaction) statement("COMMIT").run()
    }
  }
  return {
    path,
    connection,
    statement,
    value,
    attempt: (operation, body) => attemptSync(operation, path, body),
    inSnapshot
  }
}
