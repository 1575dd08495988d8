/**
 * The normalised content of a result before it is shortened.
 *
 * Owns: the one shape every policy builds and every strategy reads.
 * Limits: text is whatever the tool returned; the pipeline cleans it before it is measured.
 */
import type { ImageReference } from "@steno/contracts"
import type { RegisteredFile } from "./file-claims.ts"
import { linesOf } from "./text-lines.ts"

export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly image: ImageReference }

export interface Item {
  readonly blocks: ReadonlyArray<Block>
  /** What one item is, as in `match`. */
  readonly unit: string
}

/** Where the tool itself can go on. `line` counts from 1, `byte` from 0. */
export interface Continuation {
  readonly kind: "line" | "byte"
  readonly value: number
}

/** How many there are, as far as the tool knows; more than came back when its own limit was reached. */
export interface Count {
  readonly noun: string
  readonly plural: string
  readonly total: number
}

export interface Overflow {
  readonly noun: string
  readonly plural: string
  /** One sentence: how to ask for less, or for the rest. */
  readonly guidance?: string
}

export interface Candidate {
  /** Short lines, kept first; outside the payload. */
  readonly status: ReadonlyArray<string>
  readonly blocks: ReadonlyArray<Block>
  readonly items: ReadonlyArray<Item>
  readonly reports: ReadonlyArray<Candidate>
  readonly continuation: ReadonlyArray<Continuation>
  readonly counts: ReadonlyArray<Count>
  readonly overflow: Overflow
  /** The tool's own last line; replaced by the notice when the content is cut. */
  readonly footer?: string
  /** Clause about the tool's own limit; part of the notice when there is one, else a line. */
  readonly limited?: string
  /** Which lines of a longer text the blocks hold: the first one, from 1, and how many the text has. */
  readonly range?: { readonly firstLine: number; readonly totalLines: number }
  readonly files: ReadonlyArray<RegisteredFile>
}

export const textBlock = (text: string): Block => ({ kind: "text", text })

export const textItem = (text: string, unit: string): Item => ({ blocks: [textBlock(text)], unit })

const empty: Candidate = {
  status: [],
  blocks: [],
  items: [],
  reports: [],
  continuation: [],
  counts: [],
  overflow: { noun: "line", plural: "lines" },
  files: []
}

export const makeCandidate = (parts: Partial<Candidate>): Candidate => ({ ...empty, ...parts })

export const linesOfBlocks = (blocks: ReadonlyArray<Block>): ReadonlyArray<string> =>
  blocks.flatMap((block) => block.kind === "text" ? linesOf(block.text) : [])

export const imagesOfBlocks = (blocks: ReadonlyArray<Block>): ReadonlyArray<ImageReference> =>
  blocks.flatMap((block) => block.kind === "image" ? [block.image] : [])

/** Every image of a candidate, its items and reports. */
export const imagesOf = (candidate: Candidate): ReadonlyArray<ImageReference> => [
  ...imagesOfBlocks(candidate.blocks),
  ...candidate.items.flatMap((item) => imagesOfBlocks(item.blocks)),
  ...candidate.reports.flatMap(imagesOf)
]
