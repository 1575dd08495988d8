/**
 * Finds and opens the home.
 *
 * Owns: where the home is by default, creating it, whether it may be written.
 * Never owns: what lies in it.
 * Limits: an existing folder's mode is never changed; the data folder must be its owner's alone.
 */
import { makeProblem } from "@steno/application/problems"
import type { PortProblem } from "@steno/projection-port"
import { Effect, Predicate } from "effect"
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { databaseFile } from "./database-file.ts"
import { isEmptied } from "./session-folders.ts"

export interface HomeEnvironment {
  readonly platform: NodeJS.Platform
  /** The person's home directory, empty where there is none. */
  readonly userHome: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** What the arguments name; goes before `STENO_HOME`. */
  readonly named: string | undefined
}

const noUserHome = () => makeProblem(
  "config-invalid",
  "This user has no home directory, so there is no place for the record.",
  "Set STENO_HOME to a folder, or name one with --home."
)

/**
 * The named home, `STENO_HOME`, else the platform's data directory for `steno`; always absolute.
 * Fails with `config-invalid` where none of them is known, and as `cwd` does where a relative path needs it.
 */
export const homePath = Effect.fnUntraced(function*<E>(environment: HomeEnvironment, cwd: Effect.Effect<string, E>) {
  const { platform, userHome, variables } = environment
  const named = environment.named ?? variables["STENO_HOME"]
  if (named !== undefined && named !== "") return isAbsolute(named) ? resolve(named) : resolve(yield* cwd, named)
  const data = variables["XDG_DATA_HOME"]
  if (platform !== "darwin" && data !== undefined && isAbsolute(data)) return join(data, "steno")
  if (!isAbsolute(userHome)) return yield* noUserHome()
  return platform === "darwin"
    ? join(userHome, "Library", "Application Support", "steno")
    : join(userHome, ".local", "share", "steno")
})

const systemCode = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : "unknown"

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

const homeFault = (path: string, code: string): PortProblem => {
  const details = { path, code }
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return makeProblem(
        "storage-full",
        `There is no space left to create the home ${path}.`,
        "Free some space there, or use another home with --home or STENO_HOME.",
        { details }
      )
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return makeProblem(
        "home-read-only",
        `The home ${path} cannot be written by this user.`,
        "Make it writable, or use another home with --home or STENO_HOME.",
        { details }
      )
    case "ENOTDIR":
    case "EEXIST":
      return makeProblem(
        "home-permissions",
        `${path} is not a folder.`,
        "Make place for a folder there, or use another home with --home or STENO_HOME.",
        { details }
      )
    default:
      return makeProblem(
        "storage-failed",
        `The home ${path} could not be opened: ${code}.`,
        "Check the path and its file system, or use another home with --home or STENO_HOME.",
        { details }
      )
  }
}

const emptied = (path: string): PortProblem =>
  makeProblem(
    "storage-damaged",
    `The database of the record is missing or empty, while Sessions have files: ${databaseFile(path)}.`,
    "Restore it from a backup, or begin a new one with `steno doctor --repair`, which names the Sessions that are lost.",
    { details: { path: databaseFile(path) } }
  )

const checkFolder = (path: string): PortProblem | undefined => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) return homeFault(path, "ENOTDIR")
  const data = statSync(join(path, "data"), { throwIfNoEntry: false })
  if (data !== undefined && !data.isDirectory()) return homeFault(join(path, "data"), "ENOTDIR")
  if (data !== undefined && (data.mode & 0o077) !== 0) {
    return makeProblem(
      "home-permissions",
      `The data folder of the home is open to other users (mode ${(data.mode & 0o777).toString(8)}): ${join(path, "data")}.`,
      `Close it with \`chmod 700\`, then repeat the command.`,
      { details: { path: join(path, "data") } }
    )
  }
  return isEmptied(path) ? emptied(path) : undefined
}

/** Whether a folder of this name is there by now, for instance because another process made it. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes the missing folders of a path one by one, each 0700. Node's own recursive way never ends where a file system answers
 * "no such file" for a folder whose parent exists, as procfs does.
 */
const makeFolders = (path: string): void => {
  const missing: Array<string> = []
  for (let level = path; !existsSync(level); level = dirname(level)) missing.unshift(level)
  for (const level of missing) {
    try {
      mkdirSync(level, { mode: 0o700 })
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || !isFolder(level)) throw error
    }
  }
}

export interface OpenedHome {
  readonly path: string
  readonly access: "write" | "read"
}

/**
 * Opens a home. `write` creates what is missing (0700) and fails with `home-read-only` where it may not;
 * `read` creates nothing and falls back to read access, also for a home that does not exist yet.
 */
export const openHome = Effect.fn("openHome")(function*(path: string, need: "write" | "read") {
  const opened = yield* Effect.try({
    try: (): OpenedHome | PortProblem => {
      const refused = checkFolder(path)
      if (refused !== undefined) return refused
      if (need === "read") {
        const writable = existsSync(databaseFile(path)) && isWritable(path) && isWritable(databaseFile(path))
        return { path, access: writable ? "write" : "read" }
      }
      makeFolders(path)
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
      if (existsSync(databaseFile(path))) accessSync(databaseFile(path), constants.R_OK | constants.W_OK)
      return { path, access: "write" }
    },
    catch: (error) => homeFault(path, systemCode(error))
  })
  return "access" in opened ? opened : yield* opened
})
