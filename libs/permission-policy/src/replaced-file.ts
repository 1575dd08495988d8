/**
 * Reading a small file whole, and replacing it whole or not at all.
 *
 * Ordering: bytes are on disk before the name changes, the name before the call returns.
 * Limits: synchronous, so that no signal leaves a half-written file under the name; files get mode 0600, new folders 0700.
 */
import { Predicate } from "effect"
import { randomBytes } from "node:crypto"
import {
  closeSync, constants, fchmodSync, fstatSync, fsyncSync, lstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"

export const systemCode = (fault: unknown): string =>
  Predicate.hasProperty(fault, "code") && Predicate.isString(fault.code) ? fault.code : "unknown"

/** Undefined when there is none; throws the system's error, or one with code `not-regular`. */
export const readWhole = (path: string): Uint8Array | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (fault) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(fault))) return undefined
    throw fault
  }
  try {
    if (!fstatSync(descriptor).isFile()) throw Object.assign(new Error(`${path} is no regular file`), { code: "not-regular" })
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether the name is free or a regular file itself, no link. */
export const isOwnFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true

/** Whether the name is free or a folder itself, no link. */
export const isOwnFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true

const syncFolder = (path: string): void => {
  const descriptor = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Throws the system's error; the file is then as it was. */
export const replaceWhole = (path: string, text: string): void => {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fresh = join(folder, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`)
  const descriptor = openSync(fresh, "wx", 0o600)
  try {
    try {
      fchmodSync(descriptor, 0o600)
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(fresh, path)
  } catch (fault) {
    rmSync(fresh, { force: true })
    throw fault
  }
  syncFolder(folder)
}
