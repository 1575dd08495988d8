/**
 * Verifies that a stored file is the one that was recorded.
 *
 * Limits: once per opened file (device, inode, size, time of change), before its first byte is served; the last 256
 * verdicts are remembered.
 */
import { Effect } from "effect"
import type { CaptureView } from "./capture-view.ts"
import { readView } from "./capture-view.ts"
import { scanBytes } from "./file-scan.ts"
import { DigestMismatch } from "./process-capture-errors.ts"
import type { StorageFault } from "./storage-fault.ts"

const remembered = 256

export class StoredDigests {
  readonly #verified = new Set<string>()

  readonly verify = Effect.fnUntraced(function*(
    this: StoredDigests,
    view: CaptureView,
    expected: { readonly digest: string; readonly sizeBytes: number }
  ): Effect.fn.Return<void, StorageFault | DigestMismatch> {
    const key = `${view.parts.map((part) => part.stamp).join()}:${expected.digest}`
    if (view.totalBytes !== expected.sizeBytes) return yield* new DigestMismatch({ path: view.path })
    if (this.#verified.has(key)) return
    const scan = yield* scanBytes((block, position) => readView(view, block, position), {
      sizeBytes: view.totalBytes,
      gapOffset: undefined,
      endBytes: 0
    })
    if (scan.digest !== expected.digest) return yield* new DigestMismatch({ path: view.path })
    this.#verified.add(key)
    if (this.#verified.size > remembered) this.#verified.delete(this.#verified.values().next().value ?? key)
  }).bind(this)
}
