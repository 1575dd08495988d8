/**
 * Finds the program of an outside agent.
 *
 * Owns: where it is looked for: the path that the configuration names, else the person's PATH; when two findings are the same program.
 * Never owns: what the program is good for (its adapter).
 * Limits: nothing is started. A launcher that was installed by a package manager is told apart by its `package.json`, too: an
 * update may leave the launcher itself as it was.
 */
import { HarnessNotExecutable, HarnessNotFound, PrepareError } from "@steno/harness-seam"
import { Effect } from "effect"
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { delimiter, dirname, isAbsolute, join } from "node:path"
import type { Variables } from "./person-environment.ts"

export interface FoundProgram {
  /** Absolute, as it is started. */
  readonly path: string
  /** The same exactly as long as the program is. */
  readonly identity: string
}

export interface ProgramToFind {
  /** A name that is looked up in PATH, or an absolute path. */
  readonly program: string
  /** What a person does who has none. */
  readonly install: string
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const candidates = (program: string, { PATH = "" }: Variables): ReadonlyArray<string> =>
  isAbsolute(program) ? [program] : PATH.split(delimiter).filter((folder) => isAbsolute(folder)).map((folder) => join(folder, program))

const stamp = (path: string): string => {
  const { mtimeMs, size } = statSync(path)
  return `${path} ${size} ${mtimeMs}`
}

/** The nearest one above a launcher. */
const packageFile = (path: string): string | undefined => {
  for (let folder = dirname(path);; folder = dirname(folder)) {
    const file = join(folder, "package.json")
    if (isFile(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}

const identityOf = (path: string): string => {
  const real = realpathSync(path)
  const manifest = packageFile(real)
  return manifest === undefined ? stamp(real) : `${stamp(real)}\n${stamp(manifest)}`
}

export const findProgram = Effect.fn("findProgram")(function*({ install, program }: ProgramToFind, environment: Variables) {
  const files = candidates(program, environment).filter(isFile)
  const path = files.find(isExecutable)
  if (path !== undefined) {
    return yield* Effect.try({
      try: (): FoundProgram => ({ path, identity: identityOf(path) }),
      catch: () => new PrepareError({ reason: new HarnessNotFound({ explanation: `${path} is gone`, remedy: install }) })
    })
  }
  const [file] = files
  const reason = file === undefined
    ? new HarnessNotFound({ explanation: isAbsolute(program) ? `There is no program ${program}` : `There is no program ${program} in PATH`, remedy: install })
    : new HarnessNotExecutable({ explanation: `${file} may not be run`, remedy: "Make it executable, or name another program in the configuration." })
  return yield* Effect.fail(new PrepareError({ reason }))
})
