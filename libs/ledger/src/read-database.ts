/**
 * Opens a database that must not be written, also where SQLite cannot keep its index beside it.
 *
 * Owns: the private copy that is read when the file itself cannot be, and its removal.
 * Limits: a copy shows the moment it was made; later commits of others are not seen through it.
 */
import Database from "better-sqlite3"
import { chmodSync, constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { appliedMigrations, migrate, pendingMigrations } from "./migrations/migrate.ts"
import type { Migration } from "./migrations/migration.ts"
import { connect, type Connection } from "./sqlite-client.ts"
import { errorCode } from "./storage-reasons.ts"

export interface ReadOptions {
  readonly file: string
  readonly exists: boolean
  readonly migrations: ReadonlyArray<Migration>
  readonly at: string
}

export interface ReadDatabase {
  readonly connection: Connection
  readonly close: () => void
}

/** SQLite reads a WAL database only with an index file; these codes say that it could not make one. */
const needsCopy = (cause: unknown): boolean => {
  const code = errorCode(cause)
  return code !== undefined && (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY"))
}

const readOnly = (connection: Connection): Connection => {
  connection.pragma("query_only = ON")
  return connection
}

const openEmpty = ({ migrations, at }: ReadOptions): ReadDatabase => {
  const connection = connect(":memory:", { readonly: false })
  migrate(connection, { path: ":memory:", migrations, at })
  return { connection: readOnly(connection), close: () => void connection.close() }
}

const fingerprint = (path: string): string => {
  const entry = statSync(path, { bigint: true, throwIfNoEntry: false })
  return entry === undefined ? "absent" : `${entry.ino}:${entry.size}:${entry.mtimeNs}`
}

/** Copies database and journal as of one moment. Throws a busy error when they changed meanwhile. */
const copyFiles = (file: string, copy: string): void => {
  const names = ["", "-wal"]
  const before = names.map((name) => fingerprint(file + name))
  names.forEach((name, index) => {
    if (before[index] === "absent") return
    copyFileSync(file + name, copy + name, constants.COPYFILE_FICLONE)
    chmodSync(copy + name, 0o600)
  })
  if (names.some((name, index) => fingerprint(file + name) !== before[index])) {
    throw new Database.SqliteError("The database changed while it was copied", "SQLITE_BUSY")
  }
}

/** Opens a private copy made by `write`, migrated if it is older. Nothing of it stays after `close` or a failure. */
const openCopy = ({ file, migrations, at }: ReadOptions, write: (copy: string) => void): ReadDatabase => {
  const folder = mkdtempSync(join(tmpdir(), "steno-read-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, "core.sqlite")
    write(copy)
    const connection = connect(copy, { readonly: false })
    const close = () => {
      connection.close()
      remove()
    }
    try {
      if (pendingMigrations(file, appliedMigrations(file, connection), migrations).length > 0) {
        migrate(connection, { path: copy, migrations, at })
      }
      return { connection: readOnly(connection), close }
    } catch (cause) {
      close()
      throw cause
    }
  } catch (cause) {
    remove()
    throw cause
  }
}

/** Reads the file in place; undefined when it is empty or older and has to be read otherwise. */
const openInPlace = (options: ReadOptions): ReadDatabase => {
  const { file, migrations } = options
  const connection = connect(file, { readonly: true })
  try {
    const applied = appliedMigrations(file, connection)
    if (pendingMigrations(file, applied, migrations).length === 0) {
      return { connection, close: () => void connection.close() }
    }
    const older = applied.length === 0
      ? openEmpty(options)
      : openCopy(options, (copy) => void connection.prepare("VACUUM INTO ?").run(copy))
    connection.close()
    return older
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/** Throws what `migrate` and SQLite throw; a busy error means: call again. */
export const openForReading = (options: ReadOptions): ReadDatabase => {
  if (!options.exists) return openEmpty(options)
  try {
    return openInPlace(options)
  } catch (cause) {
    if (!needsCopy(cause)) throw cause
    return openCopy(options, (copy) => copyFiles(options.file, copy))
  }
}
