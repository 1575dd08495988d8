/**
 * Where lines begin: the count of line feeds before every block of a file.
 *
 * Built by one streaming scan, kept per file and extended as it grows, so that a page costs its own bytes.
 * Limits: one count per 64 KiB; the last 64 files are remembered.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import type { ViewPart } from "./capture-view.ts"
import { readAt } from "./file-io.ts"
import { countLineFeeds } from "./line-feeds.ts"
import type { StorageFault } from "./storage-fault.ts"

export const indexBlockBytes = 64 * 1024
const readBytes = 4 * indexBlockBytes
const remembered = 64

export interface PartIndex {
  readonly sizeBytes: number
  /** Line feeds before block n. */
  readonly before: ReadonlyArray<number>
  readonly lineFeeds: number
  readonly endsLine: boolean
}

const nothing: PartIndex = { sizeBytes: 0, before: [0], lineFeeds: 0, endsLine: true }

export class LineIndexes {
  readonly #known = new Map<string, { readonly stamp: string; readonly index: PartIndex }>()

  /** Index of the part's first `sizeBytes`. */
  readonly of = Effect.fnUntraced(function*(
    this: LineIndexes,
    part: ViewPart
  ): Effect.fn.Return<PartIndex, StorageFault> {
    const known = this.#known.get(part.node)
    if (known?.stamp === part.stamp && known.index.sizeBytes === part.sizeBytes) return known.index
    const grew = known !== undefined && known.index.sizeBytes <= part.sizeBytes
    const index = yield* extend(part, grew ? known.index : nothing)
    this.#remember(part, index)
    return index
  }).bind(this)

  forget(parts: ReadonlyArray<ViewPart>): void {
    for (const part of parts) this.#known.delete(part.node)
  }

  #remember(part: ViewPart, index: PartIndex): void {
    this.#known.delete(part.node)
    this.#known.set(part.node, { stamp: part.stamp, index })
    if (this.#known.size > remembered) {
      const oldest = this.#known.keys().next().value
      if (oldest !== undefined) this.#known.delete(oldest)
    }
  }
}

const extend = Effect.fnUntraced(function*(
  part: ViewPart,
  from: PartIndex
): Effect.fn.Return<PartIndex, StorageFault> {
  const wholeBlocks = Math.floor(from.sizeBytes / indexBlockBytes)
  const before = from.before.slice(0, wholeBlocks + 1)
  const block = Buffer.allocUnsafe(Math.min(readBytes, Math.max(1, part.sizeBytes)))
  let position = wholeBlocks * indexBlockBytes
  let lineFeeds = before[wholeBlocks] as number
  let last = 0x0a
  while (position < part.sizeBytes) {
    const count = yield* readAt(part.fd, part.path, block, Math.min(block.length, part.sizeBytes - position), position)
    if (count === 0) break
    for (let at = 0; at < count; at += indexBlockBytes) {
      const bytes = block.subarray(at, Math.min(count, at + indexBlockBytes))
      lineFeeds += countLineFeeds(bytes)
      if (bytes.length === indexBlockBytes) before.push(lineFeeds)
    }
    last = block[count - 1] as number
    position += count
  }
  return { sizeBytes: position, before, lineFeeds, endsLine: position === 0 || last === 0x0a }
})
