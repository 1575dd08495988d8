/**
 * Holds a database so that nobody else has it open meanwhile.
 *
 * Owns: the lock, and who is in the way.
 * Limits: the lock is SQLite's own on the same file under a second name, so that this process touches neither its log nor its
 *   shared memory; the name is gone once the lock is there. A file whose header SQLite does not take cannot be locked; then only Linux tells who has it open.
 *   Closing any descriptor of the file in this process would drop the lock.
 */
import Database from "better-sqlite3"
import { linkSync, readdirSync, readlinkSync, realpathSync, rmSync } from "node:fs"
import { LedgerError, StorageInUse } from "../ledger-errors.ts"
import { errorCode, isBusy } from "../storage-reasons.ts"

const processes = "/proc"

const targetsOf = (pid: string): ReadonlyArray<string> => {
  try {
    const folder = `${processes}/${pid}/fd`
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`))
  } catch {
    return []
  }
}

/** Other processes that have the file open, as far as the system tells this user. */
export const holdersOf = (file: string): ReadonlyArray<number> => {
  let pids: ReadonlyArray<string>
  try {
    pids = readdirSync(processes).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  } catch {
    return []
  }
  const path = realpathSync(file)
  return pids.filter((pid) => targetsOf(pid).includes(path)).map(Number)
}

const lockName = (file: string): string => `${file}.repair-lock`

const removeLockName = (file: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(lockName(file) + suffix, { force: true })
}

const inUse = (file: string): LedgerError =>
  new LedgerError({ reason: new StorageInUse({ operation: "repair", path: file, pids: [...holdersOf(file)] }) })

/** Undefined: SQLite does not take the file for a database, or the file system knows no second names. */
const lock = (file: string): Database.Database | undefined => {
  removeLockName(file)
  let connection: Database.Database | undefined
  try {
    linkSync(file, lockName(file))
    connection = new Database(lockName(file), { fileMustExist: true, timeout: 0 })
    connection.pragma("locking_mode = EXCLUSIVE")
    connection.prepare("BEGIN EXCLUSIVE").run()
    removeLockName(file)
    return connection
  } catch (cause) {
    connection?.close()
    removeLockName(file)
    if (isBusy(cause)) throw inUse(file)
    if (errorCode(cause) === undefined) throw cause
    return undefined
  }
}

/** Throws `StorageInUse`; gives how to let go. */
export const holdDatabase = (file: string): () => void => {
  const connection = lock(file)
  if (connection === undefined && holdersOf(file).length > 0) throw inUse(file)
  return () => {
    connection?.close()
    removeLockName(file)
  }
}
