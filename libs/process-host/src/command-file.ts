/**
 * `command.sh`: the text of a command, in a file so that it never stands in an argument list.
 *
 * Owns: the file's name, mode and removal, the shell that reads it.
 * Limits: on a full disk the file lies in a private folder of the system's temporary one, so that a command can still run.
 */
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { isAbsolute, join } from "node:path"

export const commandFileName = "command.sh"

export interface CommandFile {
  readonly path: string
  /** Idempotent; never throws: what cannot be removed stays, for its owner alone. */
  readonly remove: () => void
}

export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown"

const removeIfPossible = (path: string, options: { readonly recursive: boolean }): void => {
  try {
    rmSync(path, { ...options, force: true })
  } catch {
    return
  }
}

const writeExclusively = (path: string, text: string): void => {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 })
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") removeIfPossible(path, { recursive: false })
    throw cause
  }
}

const diskFull = new Set(["ENOSPC", "EDQUOT"])

/** Throws the system's error; nothing is left then. */
export const writeCommandFile = (directory: string, text: string): CommandFile => {
  const path = join(directory, commandFileName)
  try {
    writeExclusively(path, text)
    return { path, remove: () => removeIfPossible(path, { recursive: false }) }
  } catch (cause) {
    if (!diskFull.has(codeOf(cause))) throw cause
  }
  const folder = mkdtempSync(join(tmpdir(), "steno-command-"))
  const remove = () => removeIfPossible(folder, { recursive: true })
  try {
    const elsewhere = join(folder, commandFileName)
    writeExclusively(elsewhere, text)
    return { path: elsewhere, remove }
  } catch (cause) {
    remove()
    throw cause
  }
}

export interface Shell {
  readonly path: string
  /** Neither login nor start files. */
  readonly arguments: ReadonlyArray<string>
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const found = new Map<string, Shell>()

/** `bash` of the person's PATH or the system's; else `sh`. */
export const findShell = (path: string | undefined): Shell => {
  const known = found.get(path ?? "")
  if (known !== undefined) return known
  const folders = [...(path ?? "").split(":").filter(isAbsolute), "/bin", "/usr/bin", "/usr/local/bin"]
  const bash = folders.map((folder) => join(folder, "bash")).find(isExecutable)
  const shell: Shell = bash === undefined
    ? { path: "/bin/sh", arguments: [] }
    : { path: bash, arguments: ["--noprofile", "--norc"] }
  if (found.size > 64) found.clear()
  found.set(path ?? "", shell)
  return shell
}
