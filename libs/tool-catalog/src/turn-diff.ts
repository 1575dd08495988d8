/**
 * The change of all files of a Turn as one unified diff. Pure.
 *
 * Ordering: first a line for each file whose change is not shown and why, then the others; by path, since calls go on side by side.
 * Limits: text that is UTF-8; the bound of `unifiedDiff` for a file, 2 MiB for all of them. What does not fit is named, never cut.
 * A file that is at last what it was at first is not part of it.
 */
import { Result } from "effect"
import type { ChangedFile } from "./file-changes.ts"
import { unifiedDiff } from "./unified-diff.ts"

const mostUnits = 2 * 1024 * 1024

export interface FileDiff {
  readonly path: string
  /** Absent where it is not known whether the file is new. */
  readonly kind?: "create" | "update"
}

export interface TurnFilesDiff {
  readonly content: string
  /** Those of `content` and those that are only named in it. */
  readonly files: ReadonlyArray<FileDiff>
}

type Shown = FileDiff & ({ readonly diff: string } | { readonly omitted: string })

const textOf = (bytes: Uint8Array): string | undefined =>
  bytes.includes(0)
    ? undefined
    : Result.getOrUndefined(Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)))

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean => one !== undefined && Buffer.compare(one, other) === 0

const tooLarge = "its change is too large"
const earlier = "changes by calls that another process carried or that are no longer remembered"

/** Undefined where nothing changed. */
const shownFile = ({ contents, isCreated, path }: ChangedFile): Shown | undefined => {
  const file = { path, kind: isCreated ? "create" : "update" } as const
  if (contents === undefined) return { ...file, omitted: "the file is too large" }
  if (isSame(contents.before, contents.after)) return undefined
  const before = contents.before === undefined ? "" : textOf(contents.before)
  const after = textOf(contents.after)
  if (before === undefined || after === undefined) return { ...file, omitted: "it is no UTF-8 text" }
  const diff = unifiedDiff(path, isCreated ? undefined : before, after)
  return diff === undefined ? { ...file, omitted: tooLarge } : { ...file, diff }
}

const byPath = (left: ChangedFile, right: ChangedFile): number => left.path < right.path ? -1 : left.path > right.path ? 1 : 0

/**
 * @param unseen paths that the Turn changed, or may have, and of which the contents are not known here
 * @returns undefined: nothing changed
 */
export const turnDiff = (changes: ReadonlyArray<ChangedFile>, unseen: ReadonlyArray<string> = []): TurnFilesDiff | undefined => {
  let left = mostUnits
  const fitting = (file: Shown): Shown => {
    if (!("diff" in file)) return file
    const { diff, ...rest } = file
    if (diff.length > left) return { ...rest, omitted: tooLarge }
    left -= diff.length
    return file
  }
  const seen = changes.toSorted(byPath).flatMap((change) => shownFile(change) ?? []).map(fitting)
  const others = unseen.map((path): Shown => ({ path, omitted: earlier }))
  const all = [...seen, ...others]
  if (all.length === 0) return undefined
  const notes = all.flatMap((file) => "omitted" in file ? [`Not shown: ${JSON.stringify(file.path)} (${file.omitted})\n`] : [])
  const diffs = all.flatMap((file) => "diff" in file ? [file.diff] : [])
  const files = new Map(all.map(({ kind, path }) => [path, { path, ...(kind === undefined ? {} : { kind }) }]))
  for (const { kind, path } of seen) if (kind !== undefined) files.set(path, { path, kind })
  return { content: [...notes, ...diffs].join(""), files: [...files.values()] }
}
