/**
 * The byte copy of a damaged database that is kept beside it.
 *
 * Owns: the name of copies, that a copy is whole and durable before it has its name; the list of what did not come over from one.
 */
import { Option, Schema } from "effect"
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, readSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { TableLoss } from "./damaged-database.ts"

const blockBytes = 1024 * 1024
const infix = ".corrupt-"

/** @param at an instant; its text becomes part of the name */
export const copyPath = (file: string, at: string): string => `${file}${infix}${at.replaceAll(":", "-")}`

/** Copies of this database that are kept, oldest first, without their logs. */
export const keptCopies = (file: string): ReadonlyArray<string> => {
  const folder = dirname(file)
  if (!existsSync(folder)) return []
  const isCopy = (name: string) => name.startsWith(basename(file) + infix) && name.endsWith("Z")
  return readdirSync(folder).filter(isCopy).sort().map((name) => join(folder, name))
}

export const syncFolder = (path: string): void => {
  const descriptor = openSync(dirname(path), "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Copies what `source` holds, mode 0600. The descriptor stays open: to close one drops the locks of this process on its file. */
const copyDescriptor = (source: number, target: string): void => {
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  const descriptor = openSync(partial, "wx", 0o600)
  try {
    const block = Buffer.allocUnsafe(blockBytes)
    let at = 0
    for (let count = readSync(source, block, 0, blockBytes, at); count > 0; count = readSync(source, block, 0, blockBytes, at)) {
      for (let written = 0; written < count;) written += writeSync(descriptor, block, written, count - written)
      at += count
    }
    fsyncSync(descriptor)
  } catch (cause) {
    rmSync(partial, { force: true })
    throw cause
  } finally {
    closeSync(descriptor)
  }
  renameSync(partial, target)
}

/** Copies the database and, first, its log; durable when this returns. */
export const keepCopy = (database: number, log: number | undefined, target: string): void => {
  if (log !== undefined) copyDescriptor(log, `${target}-wal`)
  copyDescriptor(database, target)
  syncFolder(target)
}

const Losses = Schema.fromJsonString(Schema.Array(Schema.Struct({
  table: Schema.String,
  rows: Schema.Array(Schema.Struct({
    table: Schema.String,
    known: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Null]))
  })),
  isUncertain: Schema.Boolean
})))
const decodeLosses = Schema.decodeUnknownOption(Losses)

const lossesPath = (copy: string): string => `${copy}.losses.json`

/** Writes down what did not come over from a copy; durable when this returns. */
export const recordLosses = (copy: string, losses: ReadonlyArray<TableLoss>): void => {
  const descriptor = openSync(lossesPath(copy), "wx", 0o600)
  try {
    writeFileSync(descriptor, JSON.stringify(losses))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  syncFolder(copy)
}

/** What did not come over from a copy; undefined where nobody wrote that down, because its repair did not come to an end. */
export const lossesOf = (copy: string): ReadonlyArray<TableLoss> | undefined => {
  const path = lossesPath(copy)
  return existsSync(path) ? Option.getOrUndefined(decodeLosses(readFileSync(path, "utf8"))) : undefined
}
