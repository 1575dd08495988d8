/**
 * What is kept of an output once it was read: its counts, its text while that is short, otherwise the lines chosen from all of it.
 *
 * Owns: reading an output once for every view of it.
 * Never owns: how a reading is worded (process-diagnostics), which readings are kept (output-readings).
 * Limits: a reading holds at most the inline text or the chosen lines, some tens of kilobytes.
 */
import { selectLines, type SelectedLine } from "./line-selection.ts"
import { makeOutputDigester } from "./output-digest.ts"
import type { Profile } from "./profiles.ts"

export interface OutputReading {
  readonly totalLines: number
  readonly totalBytes: number
  /** How much of it is in the file. */
  readonly filed: { readonly lines: number; readonly bytes: number }
  /** The complete text after hygiene, while it fits; without its last newline. */
  readonly inlineText: string | undefined
  readonly inlineBytes: number
  /** In file order; empty while the complete text fits. */
  readonly selected: ReadonlyArray<SelectedLine>
  /** Lines that sound like errors. */
  readonly errorLines: number
  /** The last lines up to the last one that is not blank. */
  readonly lastLines: ReadonlyArray<string>
  /** 1-based; 0 when every line is blank. */
  readonly lastInkedLine: number
  readonly binary: boolean
}

export interface OutputReader {
  /** Blocks in order, cut anywhere; a block is not kept. */
  readonly push: (block: Uint8Array) => void
  /** What is pushed from here on is in no file, and `lostBytes` before it are nowhere. At most once. */
  readonly leaveFile: (lostBytes: number) => void
  /** Call once. An exit code weighs in the choice; absent: none is known. */
  readonly finish: (exitCode?: number) => OutputReading
}

/** @param lastLines how many lines of the end are kept as they are */
export const makeOutputReader = (profile: Profile, lastLines: number): OutputReader => {
  const digester = makeOutputDigester(profile.inline, lastLines)
  return {
    push: digester.push,
    leaveFile: digester.leaveFile,
    finish: (exitCode) => {
      const { survey, ...digest } = digester.finish()
      const chooses = digest.inlineText === undefined && !digest.binary
      return { ...digest, errorLines: survey.errorLines, selected: chooses ? selectLines(survey, profile.overflow, exitCode) : [] }
    }
  }
}
