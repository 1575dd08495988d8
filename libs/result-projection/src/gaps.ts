/** The lines of a file that are not shown. */
export interface SkippedLines {
  /** 1-based, inclusive. */
  readonly from: number
  readonly to: number
}

/** What lies before, between and after the lines shown, in file order. */
export const skippedLines = (shown: ReadonlyArray<{ readonly line: number }>, totalLines: number): ReadonlyArray<SkippedLines> => {
  const skipped: Array<SkippedLines> = []
  let next = 1
  for (const { line } of shown) {
    if (line > next) skipped.push({ from: next, to: line - 1 })
    next = line + 1
  }
  if (next <= totalLines) skipped.push({ from: next, to: totalLines })
  return skipped
}
