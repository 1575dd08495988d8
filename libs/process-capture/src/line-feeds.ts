/**
 * Counts line feeds four bytes at a time.
 *
 * Limits: one pass over the bytes, no allocation beyond a view.
 */
const lineFeed = 0x0a
const fourLineFeeds = 0x0a0a0a0a
const lowBits = 0x7f7f7f7f
const ones = 0x01010101
/** Words whose four counters of one byte each cannot overflow. */
const wordsPerSum = 252

const countBytewise = (bytes: Uint8Array, from: number, to: number): number => {
  let count = 0
  for (let index = from; index < to; index++) if (bytes[index] === lineFeed) count++
  return count
}

/** A byte of a word is a line feed where `word ^ 0x0a…` has a zero byte; non-zero bytes are summed and taken away. */
const countWords = (words: Int32Array): number => {
  let count = 0
  let at = 0
  while (at < words.length) {
    const end = Math.min(words.length, at + wordsPerSum)
    const start = at
    let other = 0
    for (; at < end; at++) {
      const word = (words[at] as number) ^ fourLineFeeds
      other = (other + (((((word & lowBits) + lowBits) | word) >>> 7) & ones)) | 0
    }
    count += (end - start) * 4 - ((other & 255) + ((other >>> 8) & 255) + ((other >>> 16) & 255) + (other >>> 24))
  }
  return count
}

export const countLineFeeds = (bytes: Uint8Array): number => {
  const head = Math.min(bytes.length, (4 - (bytes.byteOffset & 3)) & 3)
  const words = (bytes.length - head) >> 2
  const tail = head + words * 4
  const middle = words === 0 ? 0 : countWords(new Int32Array(bytes.buffer, bytes.byteOffset + head, words))
  return countBytewise(bytes, 0, head) + middle + countBytewise(bytes, tail, bytes.length)
}
