/**
 * Files that a person named for an answer.
 *
 * Owns: replacing a file whole or not at all; Problems that name the path and what to do.
 * Limits: nothing but a regular file is replaced; synchronous, so that no signal leaves a half-written file beside it.
 */
import type { Problem } from "@steno/contracts"
import { HeadlessFiles } from "@steno/headless"
import { PortProblem } from "@steno/projection-port"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { closeSync, fchmodSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { systemCode } from "./system-code.ts"

const problem = (path: string, code: Problem["code"], reason: string, explanation: string, remediation: string) =>
  new PortProblem({ problem: { code, explanation, remediation, possibleEffects: "none", details: { path, code: reason } } })

const faultOf = (path: string, reason: string): PortProblem => {
  switch (reason) {
    case "ENOSPC":
    case "EDQUOT":
      return problem(path, "storage-full", reason, `There is no space left to write ${path}.`, "Free some space there, or name a file elsewhere.")
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return problem(path, "storage-failed", reason, `This user may not write ${path}.`, "Name a file in a folder that you may write.")
    case "ENOENT":
    case "ENOTDIR":
      return problem(path, "storage-failed", reason, `There is no folder ${dirname(path)}.`, "Make that folder, or name a file elsewhere.")
    default:
      return problem(path, "storage-failed", reason, `${path} could not be written: ${reason}.`, "Look at its file system, or name a file elsewhere.")
  }
}

const notRegular = (path: string, what: string) =>
  problem(path, "storage-failed", "not-regular", `${path} is ${what}, and only a regular file is replaced.`, "Name another file.")

const kindOf = (stat: Stats): string | undefined => {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return "a folder"
  return stat.isSymbolicLink() ? "a symbolic link" : "no regular file"
}

const replaceFile = (path: string, text: string, mode: number | undefined): void => {
  const fresh = join(dirname(path), `.steno-${randomBytes(8).toString("hex")}.tmp`)
  const descriptor = openSync(fresh, "wx", mode ?? 0o666)
  try {
    try {
      if (mode !== undefined) fchmodSync(descriptor, mode)
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

export const writtenFilesLayer = Layer.succeed(HeadlessFiles, {
  write: Effect.fn("HeadlessFiles.write")(function*(path: string, text: string) {
    const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => faultOf(path, systemCode(error)) })
    const replaced = yield* attempt(() => lstatSync(path, { throwIfNoEntry: false }))
    const kind = replaced === undefined ? undefined : kindOf(replaced)
    if (kind !== undefined) return yield* notRegular(path, kind)
    yield* attempt(() => replaceFile(path, text, replaced === undefined ? undefined : replaced.mode & 0o777))
  })
})
