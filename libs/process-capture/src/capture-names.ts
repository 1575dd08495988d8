/**
 * Names of the files in a capture's folder.
 *
 * `stdout.txt.tail-N-L` is the N-th segment (from 0) behind the head; L line feeds came before it. Every full segment has
 * the same size, so the names tell after a crash how much was observed although only the last two segments are kept.
 * `capture.json` is the plan of a join, and stays where bytes were dropped.
 */
import type { CaptureStream } from "@steno/contracts"

export const captureStreams: ReadonlyArray<CaptureStream> = ["stdout", "stderr", "output"]

export const fileName = (stream: CaptureStream): string => `${stream}.txt`

export const planName = "capture.json"

/** `output.txt` while it is still being copied together. */
export const partialName = "output.txt.part"

export interface SegmentName {
  readonly name: string
  readonly ordinal: number
  readonly lineFeedsBefore: number
}

export const segmentName = (base: string, ordinal: number, lineFeedsBefore: number): string =>
  `${base}.tail-${ordinal}-${lineFeedsBefore}`

/** Segments of a file among the names of its folder, oldest first. */
export const segmentsOf = (base: string, names: ReadonlyArray<string>): ReadonlyArray<SegmentName> => {
  const prefix = `${base}.tail-`
  const segments: Array<SegmentName> = []
  for (const name of names) {
    const parts = name.startsWith(prefix) ? /^(\d+)-(\d+)$/.exec(name.slice(prefix.length)) : null
    if (parts !== null) segments.push({ name, ordinal: Number(parts[1]), lineFeedsBefore: Number(parts[2]) })
  }
  return segments.toSorted((one, other) => one.ordinal - other.ordinal)
}
