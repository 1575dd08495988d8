/**
 * The change of one text file as a unified diff. Pure.
 *
 * Limits: what both ends share is never looked at twice. A middle above 256 KiB, or with more than 500 changed lines, is one hunk
 * that takes out the old and puts in the new lines: larger than need be, still exact. Above 2 MiB there is no diff.
 */
import { formatPatch, structuredPatch } from "diff"

const contextLines = 3
const mostCompared = 256 * 1024
const mostShown = 2 * 1024 * 1024
const mostChangedLines = 500

interface Middle {
  /** Lines in front of both. */
  readonly linesBefore: number
  readonly before: string
  readonly after: string
}

const lineStart = (text: string, at: number): number => at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1

const lineCount = (text: string, end: number): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count += 1
  return count
}

/** Where both begin to differ. */
const sharedStart = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}

const sharedEnd = (one: string, other: string, most: number): number => {
  let length = 0
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) length += 1
  return length
}

const backLines = (text: string, at: number, lines: number): number => {
  let start = at
  for (let line = 0; line < lines && start > 0; line++) start = lineStart(text, start - 1)
  return start
}

const onLines = (text: string, at: number, lines: number): number => {
  let end = at
  for (let line = 0; line < lines && end < text.length; line++) {
    const feed = text.indexOf("\n", end)
    end = feed < 0 ? text.length : feed + 1
  }
  return end
}

/** Whole lines that differ, with the lines around them. */
const middleOf = (before: string, after: string): Middle => {
  const start = lineStart(before, sharedStart(before, after))
  const shared = sharedEnd(before, after, Math.min(before.length, after.length) - start)
  const tail = shared === 0 ? before.length : before.indexOf("\n", before.length - shared - 1) + 1 || before.length
  const from = backLines(before, start, contextLines)
  const tailLength = before.length - tail
  return {
    linesBefore: lineCount(before, from),
    before: before.slice(from, onLines(before, tail, contextLines)),
    after: after.slice(from, onLines(after, after.length - tailLength, contextLines))
  }
}

const marked = (text: string, mark: "-" | "+"): ReadonlyArray<string> => {
  if (text === "") return []
  const lines = text.split("\n")
  return text.endsWith("\n")
    ? lines.slice(0, -1).map((line) => mark + line)
    : [...lines.map((line) => mark + line), "\\ No newline at end of file"]
}

const patchOf = (middle: Middle) => {
  const { after, before } = middle
  if (before.length + after.length <= mostCompared) {
    const patch = structuredPatch("", "", before, after, "", "", { context: contextLines, maxEditLength: mostChangedLines })
    if (patch !== undefined) return patch.hunks
  }
  const lines = [...marked(before, "-"), ...marked(after, "+")]
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  return [{ oldStart: 1, oldLines: count("-"), newStart: 1, newLines: count("+"), lines }]
}

/**
 * `before` absent: the file is new. Empty text where nothing changed.
 *
 * @returns undefined: too large for a diff
 */
export const unifiedDiff = (path: string, before: string | undefined, after: string): string | undefined => {
  if (before === after) return ""
  const middle = middleOf(before ?? "", after)
  if (middle.before.length + middle.after.length > mostShown) return undefined
  const hunks = patchOf(middle).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + middle.linesBefore,
    newStart: hunk.newStart + middle.linesBefore
  }))
  return formatPatch(
    {
      oldFileName: before === undefined ? "/dev/null" : `a/${path}`,
      newFileName: `b/${path}`,
      oldHeader: undefined,
      newHeader: undefined,
      hunks
    },
    { includeIndex: false, includeUnderline: false, includeFileHeaders: true }
  )
}
