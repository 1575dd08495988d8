/**
 * Reads managed files whose owner, kind, length and digest were checked before the first byte.
 *
 * Owns: the check, once per opened file, and what was checked before (device, inode, size, times).
 * Ordering: owner → regular file → length → digest → ranges, all on one descriptor: a file put under the name later is
 * never seen.
 * Limits: every step of a range looks at size and times again before it is served; a change within the file system's own
 * granularity of times (a few milliseconds) after the check cannot be seen. The bytes are read twice on the first open.
 */
import { Clock, Effect, Option, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import { type BigIntStats, closeSync, constants, fstatSync, openSync } from "node:fs"
import { assetLimits } from "./asset-limits.ts"
import type { ManagedPath } from "./asset-path.ts"
import {
  AssetStoreError,
  type AssetStoreReason,
  DigestMismatch,
  NotFound,
  NotRegular,
  RangeInvalid,
  StorageFailed,
  SymlinkOnTheWay
} from "./asset-store-errors.ts"
import { type OpenFile, readAt } from "./file-transfer.ts"
import type { ManagedFolders } from "./managed-folder.ts"
import { attempt, isFault, type SystemCalls } from "./system-calls.ts"

/** What was recorded of a file. */
export interface RecordedFile {
  /** Relative to the home, with `/`. */
  readonly path: string
  /** `sha256:` and 64 hexadecimal digits, of the whole file. */
  readonly digest: string
  readonly sizeBytes: number
}

export interface ByteRange {
  /** From 0; default 0. */
  readonly offset?: number
  /** Default: to the end. Offset and length together never exceed the size. */
  readonly length?: number
}

/** An open file that is the recorded one. Usable until the scope that opened it closes. */
export interface AssetReader {
  readonly path: string
  readonly digest: string
  readonly sizeBytes: number
  /** Device, inode, size and times: the same as long as the file is. */
  readonly identity: string
  /**
   * Fills the block from a position on and resolves with how much; fewer only at the end. Fails with `DigestMismatch` when
   * the file was changed in place.
   */
  readonly read: (block: Uint8Array, position: number) => Effect.Effect<number, AssetStoreError>
  /**
   * The bytes of a range in order, at most 256 KiB each; all of them, or the stream fails. `RangeInvalid` before the first
   * byte; `DigestMismatch` as soon as the file is changed in place.
   */
  readonly range: (range?: ByteRange) => Stream.Stream<Uint8Array, AssetStoreError>
}

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface CheckedFile extends OpenFile {
  readonly facts: BigIntStats
}

/** Other names of the file may come and go meanwhile, so the time of its status says nothing about its bytes. */
const isUnchanged = (left: BigIntStats, right: BigIntStats): boolean =>
  left.size === right.size && left.mtimeNs === right.mtimeNs

const keyOf = ({ ctimeNs, dev, ino, mtimeNs, size }: BigIntStats): string => `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

const isRangeOf = (offset: number, length: number, sizeBytes: number): boolean =>
  Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0 && offset + length <= sizeBytes

const asError = (reason: AssetStoreReason) => new AssetStoreError({ reason })

export const makeVerifiedFiles = (calls: SystemCalls, folders: ManagedFolders) => {
  /** Digest by identity, in the order of insertion. */
  const verified = new Map<string, string>()

  const remember = (key: string, digest: string): void => {
    const oldest = verified.keys().next()
    if (verified.size >= assetLimits.verifiedFiles && oldest.done !== true) verified.delete(oldest.value)
    verified.set(key, digest)
  }

  const factsOf = (file: OpenFile): BigIntStats =>
    calls.atOnce("stat", file.path, () => fstatSync(file.fd, { bigint: true }))

  const openFile = (place: ManagedPath) =>
    Effect.scoped(Effect.flatMap(folders.openPath(place.folder, { create: false }), (folder) =>
      attempt((): OpenFile => {
        const path = `${folder.path}/${place.name}`
        const target = folders.at(folder, place.name)
        return { path, fd: calls.atOnce("open", path, () => openSync(target, flags)) }
      }))).pipe(Effect.mapError((reason): AssetStoreReason => {
        if (isFault(reason, "ENOENT")) return new NotFound({ path: place.path })
        if (isFault(reason, "ELOOP")) return new SymlinkOnTheWay({ path: place.path })
        return isFault(reason, "ENXIO") ? new NotRegular({ path: place.path }) : reason
      }))

  const digestOf = Effect.fnUntraced(function*(file: OpenFile, sizeBytes: number) {
    const hash = createHash("sha256")
    const buffer = new Uint8Array(Math.min(assetLimits.stepBytes, sizeBytes))
    for (let position = 0; position < sizeBytes;) {
      const count = yield* readAt(calls, file, buffer, position)
      if (count === 0) break
      hash.update(buffer.subarray(0, count))
      position += count
    }
    return `sha256:${hash.digest("hex")}`
  })

  const check = Effect.fnUntraced(function*(file: OpenFile, recorded: RecordedFile) {
    const { path } = recorded
    const facts = yield* attempt(() => factsOf(file))
    if (!facts.isFile()) return yield* new NotRegular({ path })
    if (facts.size !== BigInt(recorded.sizeBytes)) return yield* new DigestMismatch({ path, difference: "length" })
    const key = keyOf(facts)
    const known = verified.get(key)
    const digest = known ?? (yield* digestOf(file, recorded.sizeBytes))
    if (!isUnchanged(facts, yield* attempt(() => factsOf(file)))) {
      return yield* new DigestMismatch({ path, difference: "changed-while-open" })
    }
    if (digest !== recorded.digest) return yield* new DigestMismatch({ path, difference: "digest" })
    const ageMs = (yield* Clock.currentTimeMillis) - Number(facts.ctimeMs)
    if (known === undefined && ageMs >= assetLimits.unsettledTimesMs) remember(key, digest)
    return { ...file, facts } satisfies CheckedFile
  })

  /** All of `block`, or nothing. */
  const fill = Effect.fnUntraced(function*(file: CheckedFile, recorded: RecordedFile, block: Uint8Array, position: number) {
    const count = yield* readAt(calls, file, block, position)
    const facts = yield* attempt(() => factsOf(file))
    if (count < block.length || !isUnchanged(file.facts, facts)) {
      return yield* new DigestMismatch({ path: recorded.path, difference: "changed-while-open" })
    }
    return block
  })

  return Effect.fnUntraced(function*(
    place: ManagedPath,
    recorded: RecordedFile
  ): Effect.fn.Return<AssetReader, AssetStoreReason, Scope.Scope> {
    let isOpen = true
    const opened = yield* Effect.acquireRelease(openFile(place), ({ fd }) =>
      Effect.sync(() => {
        isOpen = false
        closeSync(fd)
      }))
    const file = yield* check(opened, recorded)
    const { digest, path, sizeBytes } = recorded

    const fillOpen = (block: Uint8Array, position: number) =>
      isOpen
        ? fill(file, recorded, block, position)
        : Effect.fail(new StorageFailed({ operation: "read", path: file.path, code: "EBADF" }))

    const steps = (offset: number, end: number) =>
      Stream.paginate(offset, (position) =>
        Effect.map(fillOpen(new Uint8Array(Math.min(assetLimits.stepBytes, end - position)), position), (bytes) => {
          const next = position + bytes.length
          return [[bytes], next < end ? Option.some(next) : Option.none()] as const
        }))

    const read = Effect.fnUntraced(function*(block: Uint8Array, position: number) {
      const length = Math.min(block.length, Math.max(0, sizeBytes - position))
      if (!isRangeOf(position, length, Math.max(position, sizeBytes))) {
        return yield* new RangeInvalid({ path, offset: position, length, sizeBytes })
      }
      return length === 0 ? 0 : (yield* fillOpen(block.subarray(0, length), position)).length
    }, Effect.mapError(asError))

    const range = (wanted: ByteRange = {}): Stream.Stream<Uint8Array, AssetStoreError> => {
      const offset = wanted.offset ?? 0
      const length = wanted.length ?? sizeBytes - offset
      if (!isRangeOf(offset, length, sizeBytes)) return Stream.fail(asError(new RangeInvalid({ path, offset, length, sizeBytes })))
      return length === 0 ? Stream.empty : Stream.mapError(steps(offset, offset + length), asError)
    }
    return { path, digest, sizeBytes, identity: keyOf(file.facts), read, range }
  })
}
