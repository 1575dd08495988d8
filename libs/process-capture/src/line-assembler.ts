/**
 * Puts two streams together line by line, in order of arrival.
 *
 * Owns: which bytes of a stream may go out now, and the newline between a flushed partial line and the other stream.
 * Never owns: time (the caller says when a partial line is old), files.
 * Limits: holds back at most one partial line of `partialLineBytes` per stream; costs nothing per line.
 */
export type Source = "stdout" | "stderr"

export interface Emission {
  /** A newline goes in front, to end a flushed partial line of the other stream. */
  readonly addsNewline: boolean
  readonly pieces: ReadonlyArray<{ readonly bytes: Uint8Array; readonly lineFeeds: number }>
}

const lineFeed = 0x0a

interface Held {
  parts: Array<Uint8Array>
  size: number
}

export class LineAssembler {
  readonly #partialLineBytes: number
  readonly #held: Record<Source, Held> = { stdout: { parts: [], size: 0 }, stderr: { parts: [], size: 0 } }
  /** Whose unfinished line the output ends with. */
  #openBy: Source | undefined

  constructor(partialLineBytes: number) {
    this.#partialLineBytes = partialLineBytes
  }

  /** Bytes of an unfinished line that wait. */
  heldBytes(source: Source): number {
    return this.#held[source].size
  }

  /** `lineFeeds` is the count in `bytes`. */
  push(source: Source, bytes: Uint8Array, lineFeeds: number): Emission | undefined {
    const end = lineFeeds === 0 ? -1 : bytes.lastIndexOf(lineFeed)
    const held = this.#held[source]
    const lines = end < 0 ? [] : [...this.#release(held), { bytes: bytes.subarray(0, end + 1), lineFeeds }]
    const rest = bytes.subarray(end + 1)
    if (held.size + rest.length > this.#partialLineBytes) {
      lines.push(...this.#release(held), { bytes: rest, lineFeeds: 0 })
    } else if (rest.length > 0) {
      held.parts.push(new Uint8Array(rest))
      held.size += rest.length
    }
    return this.#emit(source, lines)
  }

  /** Lets the held partial line go: it is old, or its stream has ended. */
  flush(source: Source): Emission | undefined {
    return this.#emit(source, this.#release(this.#held[source]))
  }

  #release(held: Held): Array<{ readonly bytes: Uint8Array; readonly lineFeeds: number }> {
    if (held.size === 0) return []
    const parts = held.parts.map((bytes) => ({ bytes, lineFeeds: 0 }))
    held.parts = []
    held.size = 0
    return parts
  }

  #emit(
    source: Source,
    pieces: ReadonlyArray<{ readonly bytes: Uint8Array; readonly lineFeeds: number }>
  ): Emission | undefined {
    const last = pieces.at(-1)?.bytes
    if (last === undefined) return undefined
    const addsNewline = this.#openBy !== undefined && this.#openBy !== source
    this.#openBy = last.at(-1) === lineFeed ? undefined : source
    return { addsNewline, pieces }
  }
}
