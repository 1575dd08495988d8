/**
 * Starts and ends of an output by bytes, as the rules that one compares with cut them.
 *
 * Limits: a cut falls between UTF-8 characters, so that the piece has at most the bytes asked for.
 */

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

export const startOf = (output: Buffer, bytes: number): string => {
  let end = Math.min(bytes, output.length)
  while (end > 0 && isContinuation(output[end])) end--
  return output.toString("utf8", 0, end)
}

export const endOf = (output: Buffer, bytes: number): string => {
  let start = Math.max(0, output.length - bytes)
  while (isContinuation(output[start])) start++
  return output.toString("utf8", start)
}
