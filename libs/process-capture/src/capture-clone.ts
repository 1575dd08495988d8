/**
 * Makes output.txt out of what the first stream has kept so far: head and tail segments.
 *
 * Ordering: runs as a barrier of the first stream's file, so that nothing is written or rotated meanwhile; output.txt
 * appears last, complete.
 */
import { close, constants, copyFile, ftruncate, open, rename, unlink } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BoundedFile, GrownFiles, OpenSegment } from "./bounded-file.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { fileName, partialName, segmentName } from "./capture-names.ts"

const copying = promisify(copyFile)
const opening = promisify(open)
const truncating = promisify(ftruncate)
const renaming = promisify(rename)

const copyPart = async (from: string, to: string, size: number): Promise<number> => {
  await copying(from, to, constants.COPYFILE_EXCL)
  const fd = await opening(to, constants.O_RDWR | constants.O_NOFOLLOW)
  await truncating(fd, size)
  return fd
}

/** The first `upTo` bytes of `first`, as far as they are kept. Rejects with the system's error; nothing is left then. */
export const cloneKept = async (first: BoundedFile, upTo: number, caps: CaptureCaps): Promise<GrownFiles> => {
  const partial = join(first.directory, partialName)
  const made = [partial]
  const opened: Array<number> = []
  try {
    const head = await copyPart(first.path, partial, Math.min(upTo, caps.headBytes))
    opened.push(head)
    const segments: Array<OpenSegment> = []
    for (const { path, ordinal, lineFeedsBefore } of first.segments) {
      const size = upTo - caps.headBytes - ordinal * caps.tailBytes
      if (size <= 0) continue
      const copy = join(first.directory, segmentName(fileName("output"), ordinal, lineFeedsBefore))
      made.push(copy)
      const fd = await copyPart(path, copy, Math.min(size, caps.tailBytes))
      opened.push(fd)
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
