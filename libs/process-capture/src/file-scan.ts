/**
 * Reads stored bytes once: digest, size, lines, the line of a gap, its last bytes.
 *
 * Limits: one block in memory; a block is small enough that hashing it holds the thread for less than a millisecond.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { countLineFeeds } from "./line-feeds.ts"
import type { StorageFault } from "./storage-fault.ts"

export interface FileScan {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  readonly sizeBytes: number
  readonly lines: number
  /** Present when a gap was asked for. */
  readonly gapLine: number | undefined
  /** At most `endBytes` of the file's end. */
  readonly end: Uint8Array
}

const blockBytes = 512 * 1024
const lineFeed = 0x0a

/** Fills a block with the bytes from a position on; 0 only at the end. */
export type ReadBlock = (block: Uint8Array, position: number) => Effect.Effect<number, StorageFault>

export const scanBytes = Effect.fnUntraced(function*(
  read: ReadBlock,
  wanted: { readonly sizeBytes: number; readonly gapOffset: number | undefined; readonly endBytes: number }
): Effect.fn.Return<FileScan, StorageFault> {
  const hash = createHash("sha256")
  const block = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(1, wanted.sizeBytes + 1)))
  const ending = Buffer.alloc(Math.min(wanted.endBytes, wanted.sizeBytes))
  const endFrom = wanted.sizeBytes - ending.length
  let position = 0
  let lineFeeds = 0
  let gapLine: number | undefined
  let last = lineFeed
  while (position < wanted.sizeBytes) {
    const count = yield* read(block.subarray(0, Math.min(block.length, wanted.sizeBytes - position)), position)
    if (count === 0) break
    const bytes = block.subarray(0, count)
    hash.update(bytes)
    const gap = wanted.gapOffset
    if (gap !== undefined && gapLine === undefined && gap <= position + count) {
      gapLine = lineFeeds + countLineFeeds(bytes.subarray(0, gap - position))
    }
    lineFeeds += countLineFeeds(bytes)
    if (position + count > endFrom) bytes.copy(ending, Math.max(0, position - endFrom), Math.max(0, endFrom - position))
    last = bytes[count - 1] as number
    position += count
  }
  return {
    digest: `sha256:${hash.digest("hex")}`,
    sizeBytes: position,
    lines: lineFeeds + (last === lineFeed ? 0 : 1),
    gapLine: wanted.gapOffset === undefined ? undefined : (gapLine ?? lineFeeds),
    end: ending
  }
})
