/**
 * Diffs of a call's content as changed files with hunks.
 *
 * Owns: one hunk per diff: what is alike at both ends is left out but for three lines of context.
 * Limits: line numbers are those of the texts that the agent sent; where it sent parts of a file, they are those of the part.
 */
import type { ChangedFile, PatchHunk } from "@steno/harness-seam"
import { recordsOf, textOf, wordsOf } from "./lenient-value.ts"

const contextLines = 3

const linesOf = (text: string): ReadonlyArray<string> => {
  if (text === "") return []
  const lines = text.split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const alike = (one: ReadonlyArray<string>, other: ReadonlyArray<string>, most: number, from: "start" | "end"): number => {
  const at = (lines: ReadonlyArray<string>, index: number) => lines[from === "start" ? index : lines.length - 1 - index]
  let count = 0
  while (count < most && at(one, count) === at(other, count)) count++
  return count
}

/** Undefined where nothing differs. */
export const hunkOf = (oldText: string, newText: string): typeof PatchHunk.Type | undefined => {
  const [before, after] = [linesOf(oldText), linesOf(newText)]
  const shorter = Math.min(before.length, after.length)
  const start = alike(before, after, shorter, "start")
  const end = alike(before, after, shorter - start, "end")
  if (start === before.length && start === after.length) return undefined
  const first = Math.max(0, start - contextLines)
  const tail = Math.min(end, contextLines)
  const [oldEnd, newEnd] = [before.length - end, after.length - end]
  const lines = [
    ...before.slice(first, start).map((line) => ` ${line}`),
    ...before.slice(start, oldEnd).map((line) => `-${line}`),
    ...after.slice(start, newEnd).map((line) => `+${line}`),
    ...before.slice(oldEnd, oldEnd + tail).map((line) => ` ${line}`)
  ]
  const [oldLines, newLines] = [oldEnd + tail - first, newEnd + tail - first]
  return {
    oldStart: oldLines === 0 ? first : first + 1,
    oldLines,
    newStart: newLines === 0 ? first : first + 1,
    newLines,
    lines
  }
}

/** The files that the diffs of a content change. */
export const filesOfDiffs = (content: unknown): ReadonlyArray<ChangedFile> =>
  recordsOf(content).flatMap((part): ReadonlyArray<ChangedFile> => {
    const path = part.type === "diff" ? wordsOf(part.path) : undefined
    const newText = textOf(part.newText)
    if (path === undefined || newText === undefined) return []
    const oldText = textOf(part.oldText)
    const hunk = hunkOf(oldText ?? "", newText)
    return [{ path, kind: oldText === undefined ? "create" : "update", patch: hunk === undefined ? [] : [hunk] }]
  })
