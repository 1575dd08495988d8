/** The commands whose writes are failed, and what is kept of them when nothing fails. */

export interface FaultyCommand {
  readonly name: string
  readonly text: string
  /** Of both streams together. */
  readonly bytes: number
  readonly droppedBytes: number | undefined
  readonly sizes: Readonly<Record<string, number>>
  /** Shown in the result also when no file could take them. */
  readonly lastLines: ReadonlyArray<string>
}

const mebibyte = 1024 * 1024

/** Two lines on two streams. */
export const shortCommand: FaultyCommand = {
  name: "a short command",
  text: "echo out; echo err >&2; exit 3",
  bytes: 8,
  droppedBytes: undefined,
  sizes: { "stdout.txt": 4, "stderr.txt": 4, "output.txt": 8 },
  lastLines: ["out", "err"]
}

/** More on one stream than is kept of it: tail segments, a plan, a join. */
export const longCommand: FaultyCommand = {
  name: "a command that prints more than is kept",
  text: "yes | head -c 18874366; echo last; exit 3",
  bytes: 18 * mebibyte - 2 + 5,
  droppedBytes: 2 * mebibyte + 3,
  sizes: { "stdout.txt": 16 * mebibyte },
  lastLines: ["last"]
}
