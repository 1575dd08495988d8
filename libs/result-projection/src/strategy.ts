/**
 * What every strategy answers with, and what all of them share.
 *
 * Owns: the shape of a reduced candidate, the order of its parts.
 * Ordering: notices are built first with the largest numbers they could name; content gets what their cost leaves.
 */
import type { ImageReference } from "@steno/contracts"
import { type Candidate, imagesOf, linesOfBlocks } from "./candidate.ts"
import { recoveryLines, writtenFileLines } from "./file-lines.ts"
import type { Budget, Profile } from "./profiles.ts"
import { sizeOf } from "./text-lines.ts"

export type StrategyName =
  | "unchanged"
  | "head"
  | "item-aware"
  | "continuation-aware"
  | "artifact-index"
  | "compound"
  | "terminal-outcome"

export interface Reduced {
  readonly strategy: StrategyName
  readonly lines: ReadonlyArray<string>
  readonly images: ReadonlyArray<ImageReference>
  /** Content alone, without status, notice and paths. */
  readonly payload: Budget
  /** 1-based lines of the candidate's content; 1-based items or reports where it has those. */
  readonly kept: ReadonlyArray<{ readonly line: number; readonly why: string }>
  readonly omitted: ReadonlyArray<{ readonly from: number; readonly to: number }>
  readonly continuation?: { readonly kind: "line" | "byte"; readonly value: number }
}

/** Pure; `candidate` is clean. */
export type Strategy = (candidate: Candidate, profile: Profile) => Reduced

const reportText = (report: Candidate): ReadonlyArray<string> => [...report.status, ...contentLines(report)]

/** Everything a candidate holds besides its status, footer and files. */
export const contentLines = (candidate: Candidate): ReadonlyArray<string> => [
  ...linesOfBlocks(candidate.blocks),
  ...candidate.items.flatMap((item) => linesOfBlocks(item.blocks)),
  ...candidate.reports.flatMap((report, index) => index === 0 ? reportText(report) : ["", ...reportText(report)])
]

export const payloadLines = (candidate: Candidate): ReadonlyArray<string> => [
  ...contentLines(candidate),
  ...(candidate.footer === undefined ? [] : [candidate.footer])
]

const limitLines = ({ limited }: Candidate): ReadonlyArray<string> => limited === undefined ? [] : [`[${limited}.]`]

export const unchanged: Strategy = (candidate) => ({
  strategy: "unchanged",
  lines: [...candidate.status, ...payloadLines(candidate), ...limitLines(candidate), ...writtenFileLines(candidate.files)],
  images: imagesOf(candidate),
  payload: sizeOf(payloadLines(candidate)),
  kept: [],
  omitted: [],
  ...(candidate.continuation[0] === undefined ? {} : { continuation: candidate.continuation[0] })
})

/** `[<omission>; <limit>. <guidance>]`, then the files that hold the rest. */
export const noticeLines = (candidate: Candidate, omission: string, ...sentences: ReadonlyArray<string>): ReadonlyArray<string> => {
  const limit = candidate.limited === undefined ? "" : `; ${candidate.limited}`
  const guidance = candidate.overflow.guidance === undefined ? [] : [candidate.overflow.guidance]
  return [
    `[${[`${omission}${limit}.`, ...sentences, ...guidance].join(" ")}]`,
    ...writtenFileLines(candidate.files),
    ...recoveryLines(candidate.files)
  ]
}

export const rangeFrom = (first: number, count: number, why: string) =>
  Array.from({ length: count }, (_, index) => ({ line: first + index, why }))
