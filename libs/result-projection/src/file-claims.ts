/**
 * Checks what a tool says about files it wrote against the files that are really there.
 *
 * Owns: which files may be named to a model or a person.
 * Never owns: looking for files; callers list those of the call's own folder.
 * Limits: a claim counts when its shape is valid and its path is exactly one of the files found; all else is dropped whole.
 */
import { ByteCount, ToolName } from "@steno/contracts"
import { Option, Schema } from "effect"
import { clipCharacters } from "./clipped-text.ts"
import { visibleLines } from "./visible-lines.ts"

const labelCharacters = 80

export const FileClaim = Schema.Struct({
  /** Absolute. */
  path: Schema.NonEmptyString,
  label: Schema.NonEmptyString,
  /** `primary`: the result itself; `recovery`: what a shortened result leaves out. */
  role: Schema.Literals(["primary", "recovery", "supporting"]),
  /** As in `json`, `png`, `text`. */
  format: Schema.NonEmptyString,
  sizeBytes: Schema.optionalKey(ByteCount),
  /** With which tools it is worth looking at. */
  tools: Schema.Array(ToolName)
})
export type FileClaim = typeof FileClaim.Type

/** A file that exists and belongs to the call. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string
  readonly sizeBytes: number
}

export interface RegisteredFile extends FileClaim {
  readonly sizeBytes: number
  /** True only: it holds everything the result held. */
  readonly complete?: true
}

export interface CheckedClaims {
  readonly files: ReadonlyArray<RegisteredFile>
  readonly dropped: number
}

const decodeClaim = Schema.decodeUnknownOption(FileClaim)

const oneLine = (text: string): string => clipCharacters(visibleLines(text).join(" ").trim(), labelCharacters)

/** The size is that of the file found, whatever was claimed; of several claims for one path the first counts. */
export const checkFileClaims = (claims: ReadonlyArray<unknown>, found: ReadonlyArray<FoundFile>): CheckedClaims => {
  const sizes = new Map(found.map(({ path, sizeBytes }) => [path, sizeBytes]))
  const files = new Map<string, RegisteredFile>()
  for (const claim of claims) {
    const valid = Option.getOrUndefined(decodeClaim(claim))
    const sizeBytes = valid === undefined ? undefined : sizes.get(valid.path)
    if (valid === undefined || sizeBytes === undefined || files.has(valid.path)) continue
    files.set(valid.path, { ...valid, label: oneLine(valid.label), format: oneLine(valid.format), sizeBytes })
  }
  return { files: [...files.values()], dropped: claims.length - files.size }
}
