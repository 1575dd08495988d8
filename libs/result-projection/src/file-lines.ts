/**
 * Lines that tell a model where the rest of a result lies.
 *
 * Limits: a path is printed whole or not at all, quoted when it could be misread; its lines come from checked files only.
 */
import { countWords } from "./process-status.ts"
import type { RegisteredFile } from "./file-claims.ts"
import { pathText } from "./path-text.ts"

/** A tool may write any number; these are named. */
const namedFiles = 12

const lookWith = ({ tools }: RegisteredFile): string => tools.length === 0 ? "" : `; look at it with ${tools.join(" or ")}`

/** `Report (text, 1200 bytes): /path; look at it with read or grep` */
export const fileLine = (file: RegisteredFile): string =>
  `${file.label} (${file.format}, ${countWords(file.sizeBytes, "byte", "bytes")}): ${pathText(file.path)}${lookWith(file)}`

/** The files that hold what is not shown: only the first that holds everything, else all, in the order given. */
export const recoveryLines = (files: ReadonlyArray<RegisteredFile>): ReadonlyArray<string> => {
  const recovery = files.filter(({ role }) => role === "recovery")
  const complete = recovery.find((file) => file.complete === true)
  return (complete === undefined ? recovery : [complete]).map((file) =>
    `${fileLine(file)}; running the call again is not needed`
  )
}

/** Files a tool wrote besides its result, the first ones by name. */
export const writtenFileLines = (files: ReadonlyArray<RegisteredFile>): ReadonlyArray<string> => {
  const written = files.filter(({ role }) => role !== "recovery")
  const others = written.length - namedFiles
  return [
    ...written.slice(0, namedFiles).map(fileLine),
    ...(others > 0 ? [`and ${countWords(others, "other file", "other files")} written`] : [])
  ]
}
