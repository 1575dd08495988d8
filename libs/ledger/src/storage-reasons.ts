/**
 * Says in the ledger's words what SQLite or the file system said.
 *
 * Owns: the mapping of codes to reasons.
 * Limits: an error without a code is a defect of ours and is not mapped.
 */
import { Predicate } from "effect"
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { type LedgerReason, StorageDamaged, StorageFailed, StorageFull, StorageReadOnly } from "./ledger-errors.ts"

/** SQLite's or the system's code of an error, if it has one. */
export const errorCode = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined

/** Another connection holds the lock that is needed. */
export const isBusy = (cause: unknown): boolean => {
  const code = errorCode(cause)
  return code !== undefined && (code.startsWith("SQLITE_BUSY") || code === "SQLITE_PROTOCOL")
}

/** Less than this many bytes free counts as full when SQLite could only say that it failed. */
const fullBelowBytes = 128 * 1024

const hasNoSpace = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < fullBelowBytes
  } catch {
    return false
  }
}

/** The storage reason of a thrown error, or undefined for a defect. */
export const storageReason = (operation: string, path: string, cause: unknown): LedgerReason | undefined => {
  const code = errorCode(cause)
  if (code === undefined) return undefined
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") return new StorageFull({ operation, path })
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS" || code === "EACCES" || code === "EPERM") {
    return new StorageReadOnly({ operation, path })
  }
  if ((code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_CANTOPEN")) && hasNoSpace(path)) {
    return new StorageFull({ operation, path })
  }
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return new StorageDamaged({ operation, path, code })
  return new StorageFailed({ operation, path, code, cause })
}
