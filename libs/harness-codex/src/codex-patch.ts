/**
 * Changed files as Codex tells them: per item, and as the cumulative diff of a Turn.
 *
 * Owns: patches in unified form. An addition comes as its new content, a deletion as the old, an update as hunks without
 * a header, a move as hunks with words behind them.
 * Limits: counts are not reported and not calculated.
 */
import type { ChangedFile } from "@steno/harness-seam"
import { Schema } from "effect"

const isChange = Schema.is(Schema.Struct({
  path: Schema.NonEmptyString,
  kind: Schema.Struct({ type: Schema.String, move_path: Schema.optionalKey(Schema.Unknown) }),
  diff: Schema.optionalKey(Schema.Unknown)
}))

const kinds: Readonly<Record<string, "create" | "update" | "delete">> = { add: "create", update: "update", delete: "delete" }

/** Every line of `content` with `sign` before it, under one hunk header. */
const wholeFile = (content: string, sign: "+" | "-"): string => {
  if (content === "") return ""
  const complete = content.endsWith("\n")
  const lines = (complete ? content.slice(0, -1) : content).split("\n")
  const range = lines.length === 1 ? "1" : `1,${lines.length}`
  const header = sign === "+" ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`
  return `${[header, ...lines.map((line) => sign + line)].join("\n")}\n${complete ? "" : "\\ No newline at end of file\n"}`
}

const movedHunks = (diff: string, from: string, to: string): string => {
  const words = `\n\nMoved to: ${to}`
  const hunks = diff.endsWith(words) ? diff.slice(0, -words.length) : diff
  return `--- ${from}\n+++ ${to}\n${hunks}`
}

/** @param proven the change was made: its patch is evidence, not an intention */
export const changedFiles = (changes: unknown, proven: boolean): ReadonlyArray<ChangedFile> | undefined => {
  if (!Array.isArray(changes)) return undefined
  return changes.filter(isChange).map(({ diff, kind, path }): ChangedFile => {
    const known = kinds[kind.type]
    const moved = typeof kind.move_path === "string" && kind.move_path !== "" ? kind.move_path : undefined
    const target = { path: moved ?? path, ...(known === undefined ? {} : { kind: known }) }
    if (!proven || typeof diff !== "string") return target
    if (known === "create") return { ...target, patch: wholeFile(diff, "+") }
    if (known === "delete") return { ...target, patch: wholeFile(diff, "-") }
    return { ...target, patch: moved === undefined ? diff : movedHunks(diff, path, moved) }
  })
}

const section = /^diff --git /m
/** A tab ends a path with blanks. */
const newPath = /^\+\+\+ (?:b\/(.+?)\t?|\/dev\/null)$/m
const oldPath = /^--- (?:a\/(.+?)\t?|\/dev\/null)$/m
const headerPath = /^a\/(.+) b\/\1$/m
const renamedTo = /^rename to (.+)$/m

const diffKind = (head: string): "create" | "update" | "delete" =>
  /^new file mode/m.test(head) ? "create" : /^deleted file mode/m.test(head) ? "delete" : "update"

/** The files of a diff in git's form, in its order, each with its own part of it. */
export const filesOfDiff = (diff: string): ReadonlyArray<ChangedFile> =>
  diff.split(section).slice(1).flatMap((part) => {
    const hunks = part.search(/^@@ /m)
    const head = hunks < 0 ? part : part.slice(0, hunks)
    const path = newPath.exec(head)?.[1] ?? oldPath.exec(head)?.[1] ?? renamedTo.exec(head)?.[1] ?? headerPath.exec(head)?.[1]
    return path === undefined ? [] : [{ path, kind: diffKind(head), patch: `diff --git ${part}` }]
  })
