/**
 * Where lines begin: the count of line feeds before every block of a file.
 *
 * Built by one streaming scan, kept per file and extended as it grows, so that a page costs its own bytes.
 * Limits: one count per 64 KiB; the last 64 files are remembered.
 */
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import type { ViewPart } from "./capture-view.ts"
import { countLineFeeds } from "./line-feeds.ts"

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
  of<E>(part: ViewPart<E>): Effect.Effect<PartIndex, E> {
    return Effect.suspend(() => {
      const known = this.#known.get(part.node)
      if (known?.stamp === part.stamp && known.index.sizeBytes === part.sizeBytes) return Effect.succeed(known.index)
      const grew = known !== undefined && known.index.sizeBytes <= part.sizeBytes
      return Effect.tap(extend(part, grew ? known.index : nothing), (index) => Effect.sync(() => this.#remember(part, index)))
    })
  }

  ofAll<E>(parts: ReadonlyArray<ViewPart<E>>): Effect.Effect<ReadonlyArray<PartIndex>, E> {
    return Effect.forEach(parts, (part) => this.of(part))
  }

  forget(parts: ReadonlyArray<{ readonly node: string }>): void {
    for (const part of parts) this.#known.delete(part.node)
  }

  #remember(part: { readonly node: string; readonly stamp: string }, index: PartIndex): void {
    this.#known.delete(part.node)
    this.#known.set(part.node, { stamp: part.stamp, index })
    if (this.#known.size > remembered) {
      const oldest = this.#known.keys().next().value
      if (oldest !== undefined) this.#known.delete(oldest)
    }
  }
}

const extend = Effect.fnUntraced(function*<E>(
  part: ViewPart<E>,
  from: PartIndex
): Effect.fn.Return<PartIndex, E> {
  const wholeBlocks = Math.floor(from.sizeBytes / indexBlockBytes)
  const before = from.before.slice(0, wholeBlocks + 1)
  const block = Buffer.allocUnsafe(Math.min(readBytes, Math.max(1, part.sizeBytes)))
  let position = wholeBlocks * indexBlockBytes
  let lineFeeds = before[wholeBlocks] as number
  let last = 0x0a
  while (position < part.sizeBytes) {
    const count = yield* part.read(block.subarray(0, part.sizeBytes - position), position)
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
