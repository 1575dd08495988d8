/**
 * Repairs a damaged database file.
 *
 * Owns: the order of a repair and what each end of it leaves.
 * Ordering: hold → copy durable → log folded into the damaged file → new file and the list of what is lost written, verified,
 *   durable → renamed over the damaged one. Whenever it is killed the path holds the damaged database or the new one, whole; doing it again goes on.
 * Limits: synchronous; needs space for a copy and a new file. SQLite keeps no checksums: a byte that changed inside a text without
 *   breaking its form cannot be told.
 */
import type { Asset } from "@steno/contracts"
import { DateTime, Effect } from "effect"
import { closeSync, constants, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { LedgerError, StorageNewer } from "../ledger-errors.ts"
import { migrations } from "../migrations/migrations.ts"
import { storageReason } from "../storage-reasons.ts"
import { type DamagedDatabase, openDamaged, type TableLoss } from "./damaged-database.ts"
import { copyPath, keepCopy, recordLosses, syncFolder } from "./database-copy.ts"
import { holdDatabase } from "./database-hold.ts"
import { readLog } from "./journal-fold.ts"
import { addAssets, addRuns, lostFilesIn, removeSalvage, verifySalvage, writeSalvage } from "./new-database.ts"
import { openPageFile, type ReadBytes } from "./page-file.ts"
import type { LostFiles } from "./restored-files.ts"

/** Points at which a test may end the process; each names what is done by then. */
export const repairPoints = ["held", "copied", "folded", "written", "swapped"] as const
export type RepairPoint = (typeof repairPoints)[number]

export interface RepairOptions<R = never> {
  readonly file: string
  /** Rows of lost files, as far as the files themselves still tell; asked only when there are any. */
  readonly restore: (files: ReadonlyArray<LostFiles>) => Effect.Effect<ReadonlyArray<Asset>, never, R>
  readonly failpoint?: (point: RepairPoint) => void
}

export interface Repaired {
  /** The byte copy of the damaged file; its log lies beside it as `<copy>-wal`. */
  readonly copy: string
  readonly losses: ReadonlyArray<TableLoss>
  /** What was made anew because it is stored a second time; not among the losses. */
  readonly restored: { readonly runs: number; readonly assets: ReadonlyArray<Asset> }
}

const bytesOf = (descriptor: number): ReadBytes => (offset, length) => {
  const bytes = Buffer.alloc(length)
  let count = 0
  while (count < length) {
    const read = readSync(descriptor, bytes, count, length - count, offset + count)
    if (read === 0) break
    count += read
  }
  return bytes.subarray(0, count)
}

const writeAll = (descriptor: number, bytes: Buffer, offset: number): void => {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, offset + written)
  }
}

const foldLog = (database: number, log: number): void => {
  const read = bytesOf(log)
  const folded = readLog(read, fstatSync(log).size)
  if (folded === undefined) return
  for (const [page, offset] of folded.pages) {
    if (page <= folded.pageCount) writeAll(database, read(offset, folded.pageBytes), (page - 1) * folded.pageBytes)
  }
  const sizeBytes = folded.pageCount * folded.pageBytes
  if (fstatSync(database).size > sizeBytes) ftruncateSync(database, sizeBytes)
  fsyncSync(database)
}

/** Removes the log, whose content is in the file by now, so that nobody takes it for that of the new file. */
const removeLog = (file: string): void => {
  for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true })
  syncFolder(file)
}

interface Held {
  readonly database: number
  readonly log: number | undefined
  readonly release: () => void
}

const openLog = (file: string): number | undefined => existsSync(`${file}-wal`) ? openSync(`${file}-wal`, "r") : undefined

const closeAll = ({ database, log, release }: Held): void => {
  release()
  closeSync(database)
  if (log !== undefined) closeSync(log)
}

const hold = (file: string): Held => {
  const database = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    const release = holdDatabase(file)
    try {
      return { database, log: openLog(file), release }
    } catch (cause) {
      release()
      throw cause
    }
  } catch (cause) {
    closeSync(database)
    throw cause
  }
}

const openHeld = ({ database }: Held, file: string): DamagedDatabase => {
  const damaged = openDamaged(openPageFile(bytesOf(database), fstatSync(database).size), migrations)
  if (damaged.storedVersion <= migrations.length) return damaged
  throw new LedgerError({ reason: new StorageNewer({ path: file, found: damaged.storedVersion, known: migrations.length }) })
}

const withoutRestored = (losses: ReadonlyArray<TableLoss>, restored: ReadonlyArray<Asset>): ReadonlyArray<TableLoss> => {
  const ids = new Set<unknown>(restored.map(({ assetId }) => assetId))
  return losses.map((loss) => loss.table === "asset" ? { ...loss, rows: loss.rows.filter(({ known }) => !ids.has(known["asset_id"])) } : loss)
}

/**
 * A missing file counts as an empty one. Keeps a byte copy, salvages every row that can be read into a new file, and puts that in the place of the damaged one.
 * Fails with `StorageInUse` while another process has the file open, `StorageNewer`, `StorageFull` or `StorageFailed`; the
 * database is the damaged one then. A repetition is a repair of what it finds.
 */
export const repairDatabase = Effect.fn("repairDatabase")(function*<R>({ failpoint, file, restore }: RepairOptions<R>) {
  const at = DateTime.formatIso(yield* DateTime.now)
  const salvage = `${file}.salvage`
  const attempt = <A>(body: () => A) =>
    Effect.try({
      try: body,
      catch: (cause) => {
        if (cause instanceof LedgerError) return cause
        const reason = storageReason("repair", file, cause)
        if (reason === undefined) throw cause
        return new LedgerError({ reason })
      }
    })
  const repairHeld = Effect.fnUntraced(function*(held: Held) {
    const copy = copyPath(file, at)
    const salvaged = yield* attempt(() => {
      failpoint?.("held")
      keepCopy(held.database, held.log, copy)
      failpoint?.("copied")
      if (held.log !== undefined) foldLog(held.database, held.log)
      removeLog(file)
      failpoint?.("folded")
      const damaged = openHeld(held, file)
      return writeSalvage(damaged, { path: salvage, migrations: migrations.slice(0, damaged.schema.version), at })
    })
    const lost = yield* attempt(() => lostFilesIn(salvage))
    const found = lost.length === 0 ? [] : yield* restore(lost)
    return yield* attempt(() => {
      const assets = addAssets(salvage, lost, found)
      const { losses, restored: runs } = addRuns(salvage, withoutRestored(salvaged, assets))
      verifySalvage(salvage)
      recordLosses(copy, losses)
      failpoint?.("written")
      renameSync(salvage, file)
      syncFolder(file)
      failpoint?.("swapped")
      return { copy, losses, restored: { runs, assets } } satisfies Repaired
    })
  }, Effect.tapError(() => Effect.sync(() => removeSalvage(salvage))))
  return yield* Effect.acquireUseRelease(attempt(() => hold(file)), repairHeld, (held) => Effect.sync(() => closeAll(held)))
})
