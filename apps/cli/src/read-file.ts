/**
 * Files that a person named to be read.
 *
 * Owns: Problems that name the path and what to do.
 * Limits: at most 64 KiB at a time; anything that can be opened and read is a file, a pipe too.
 */
import type { Problem } from "@steno/contracts"
import { PortProblem } from "@steno/projection-port"
import type { Stream } from "effect"
import { createReadStream } from "node:fs"
import { byteBlocks } from "./byte-blocks.ts"
import { systemCode } from "./system-code.ts"

const blockBytes = 65_536

const wordsOf = (path: string, code: string): Pick<Problem, "explanation" | "remediation"> => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { explanation: `There is no file ${path}.`, remediation: "Name a file that exists, or \"-\" for stdin." }
    case "EISDIR":
      return { explanation: `${path} is a folder, and only a file can be read.`, remediation: "Name a file in it." }
    case "EACCES":
    case "EPERM":
      return { explanation: `This user may not read ${path}.`, remediation: "Name a file that you may read." }
    default:
      return { explanation: `${path} could not be read: ${code}.`, remediation: "Look at its file system, or name another file." }
  }
}

/** @param path absolute; the bytes are those of the file when they are read, and fail with `storage-failed` */
export const fileBlocks = (path: string): Stream.Stream<Uint8Array, PortProblem> =>
  byteBlocks(() => createReadStream(path, { highWaterMark: blockBytes }), (fault) => {
    const code = systemCode(fault)
    return new PortProblem({
      problem: { code: "storage-failed", ...wordsOf(path, code), possibleEffects: "none", details: { path, code } }
    })
  })
