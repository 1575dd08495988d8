/**
 * Makes output.txt out of what the first stream has kept so far: head and tail segments.
 *
 * Ordering: runs as a barrier of the first stream's file, so that nothing is written or rotated meanwhile; output.txt
 * appears last, complete.
 */
import { close, constants, copyFile, ftruncate, open, read, rename, unlink, write } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BoundedFile, GrownFiles, OpenSegment } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { fileName, partialName, segmentName } from "./capture-names.ts"
import { memoryTailBytes } from "./memory-tail.ts"
import { encodeHeader } from "./tail-segment.ts"

const copying = promisify(copyFile)
const opening = promisify(open)
const truncating = promisify(ftruncate)
const renaming = promisify(rename)
const writing = promisify(write)
const reading = promisify(read)

const copyOf = async (from: string, to: string): Promise<number> => {
  await copying(from, to, constants.COPYFILE_EXCL)
  return opening(to, constants.O_RDWR | constants.O_NOFOLLOW)
}

/** The first `upTo` bytes of `first`, as far as they are kept. Rejects with the system's error; nothing is left then. */
export const cloneKept = async (first: BoundedFile, upTo: number, caps: CaptureCaps): Promise<GrownFiles> => {
  const partial = join(first.directory, partialName)
  const made = [partial]
  const opened: Array<number> = []
  try {
    const head = await copyOf(first.path, partial)
    opened.push(head)
    await truncating(head, Math.min(upTo, caps.headBytes))
    const segments: Array<OpenSegment> = []
    for (const { path, ordinal, lineFeedsBefore } of first.segments) {
      const size = upTo - caps.headBytes - ordinal * caps.tailBytes
      if (size <= 0) continue
      const copy = join(first.directory, segmentName(fileName("output"), ordinal))
      made.push(copy)
      const fd = await copyOf(path, copy)
      opened.push(fd)
      const header = encodeHeader({ ordinal, lineFeedsBefore, length: Math.min(size, caps.tailBytes) })
      await writing(fd, header, 0, header.length, caps.tailBytes)
      segments.push({ fd, path: copy, ordinal, lineFeedsBefore })
    }
    await renaming(partial, join(first.directory, fileName("output")))
    return { head, segments, written: upTo }
  } catch (cause) {
    for (const fd of opened) close(fd, () => undefined)
    for (const path of made) unlink(path, () => undefined)
    throw cause
  }
}

/** The first `upTo` bytes of `first`, where a copy failed and memory takes that many; else those it lost itself. Never rejects. */
export const keptInMemory = async (first: BoundedFile, upTo: number): Promise<Uint8Array> => {
  const lost = first.lost?.bytes() ?? new Uint8Array()
  const head = first.grown?.head
  if (head === undefined || upTo > memoryTailBytes) return lost
  const stored = new Uint8Array(Math.min(first.written, upTo))
  try {
    const { bytesRead } = await reading(head, stored, 0, stored.length, 0)
    return Buffer.concat([stored.subarray(0, bytesRead), lost]).subarray(0, upTo)
  } catch {
    return lost
  }
}
