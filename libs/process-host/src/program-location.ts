/**
 * Finds the program that a name or a path means.
 *
 * Owns: the search through the person's PATH; which file it is in the end.
 * Limits: links are followed, starters of a package are not: the file found is what the system would run.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { type Environment, personsPath } from "./command-environment.ts"
import { codeOf } from "./command-file.ts"

export interface ProgramLocation {
  readonly kind: "found"
  /** Absolute, as it was found; what is started. */
  readonly path: string
  /** Without links. */
  readonly realPath: string
  readonly sizeBytes: number
  /** Of its last change, since 1970. */
  readonly changedMs: number
}

export type ProgramSearch =
  | ProgramLocation
  /** There is no such file. */
  | { readonly kind: "not-found" }
  /** `path` is there and cannot be run. `code` is the system's. */
  | { readonly kind: "not-executable"; readonly path: string; readonly code: string }

const look = (path: string): ProgramSearch => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return { kind: "not-found" }
    if (!found.isFile()) return { kind: "not-executable", path, code: "EISDIR" }
    accessSync(path, constants.X_OK)
    return { kind: "found", path, realPath: realpathSync(path), sizeBytes: found.size, changedMs: found.mtimeMs }
  } catch (cause) {
    const code = codeOf(cause)
    return code === "ENOTDIR" ? { kind: "not-found" } : { kind: "not-executable", path, code }
  }
}

/**
 * @param program a path, relative to `cwd`, or a bare name that is looked for in the person's PATH. The first file of
 * that name that can be run is it; else the first one that cannot.
 */
export const locateProgram = (program: string, cwd: string, environment: Environment): ProgramSearch => {
  if (program.includes("/")) return look(resolve(cwd, program))
  const searched = (personsPath(environment) ?? "").split(":").filter(isAbsolute).map((folder) => look(join(folder, program)))
  return searched.find(({ kind }) => kind === "found") ?? searched.find(({ kind }) => kind !== "not-found") ?? { kind: "not-found" }
}
