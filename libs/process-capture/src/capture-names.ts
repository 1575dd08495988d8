/**
 * Names of the files in a capture's folder.
 *
 * `stdout.txt.tail-a` and `-b` are the two segments behind the head of a file that outgrew it; they are filled in turns.
 * `capture.json` is the plan of a join, and stays where bytes were dropped.
 */
import type { CaptureStream } from "@steno/contracts"

export const captureStreams: ReadonlyArray<CaptureStream> = ["stdout", "stderr", "output"]

export const fileName = (stream: CaptureStream): string => `${stream}.txt`

export const planName = "capture.json"

/** `output.txt` while it is still being copied together. */
export const partialName = "output.txt.part"

/** Segment files of a file, even and odd ordinals. */
export const segmentNames = (base: string): readonly [string, string] => [`${base}.tail-a`, `${base}.tail-b`]

/** Ordinals count from 0; each segment file takes every second one. */
export const segmentName = (base: string, ordinal: number): string => segmentNames(base)[ordinal % 2 === 0 ? 0 : 1]
