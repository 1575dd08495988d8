/**
 * Records of an SQLite database: the values of one row or index entry.
 *
 * Owns: variable-length integers and serial types. Pure.
 * Limits: strict: whatever does not fit its own lengths to the byte, or is no UTF-8, is no record. Numbers beyond what a double
 *   holds exactly are none of ours.
 */

export type StoredValue = string | number | null

/** A value and where the next one begins; undefined at the end of the bytes. */
export const readVarint = (bytes: Uint8Array, at: number): readonly [value: number, next: number] | undefined => {
  let value = 0
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return undefined
    if (index === 8) return [value * 256 + byte, at + 9]
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return undefined
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8] as const

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Buffer): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const integerOf = (bytes: Buffer): number | undefined => {
  if (bytes.length < 8) return bytes.readIntBE(0, bytes.length)
  const value = Number(bytes.readBigInt64BE(0))
  return Number.isSafeInteger(value) ? value : undefined
}

const sizeOf = (type: number): number | undefined => {
  if (type <= 6) return integerBytes[type]
  if (type === 8 || type === 9) return 0
  return type >= 13 && type % 2 === 1 ? (type - 13) / 2 : undefined
}

const valueOf = (type: number, bytes: Buffer): StoredValue | undefined => {
  if (type === 0) return null
  if (type <= 6) return integerOf(bytes)
  return type <= 9 ? type - 8 : textOf(bytes)
}

/** The values of a record; undefined for anything that is none with integers, text and nulls alone. */
export const readRecord = (payload: Buffer): ReadonlyArray<StoredValue> | undefined => {
  const header = readVarint(payload, 0)
  if (header === undefined || header[0] > payload.length) return undefined
  const [headerEnd] = header
  const values: Array<StoredValue> = []
  let body = headerEnd
  let at = header[1]
  while (at < headerEnd) {
    const type = readVarint(payload, at)
    if (type === undefined) return undefined
    const size = sizeOf(type[0])
    if (size === undefined || body + size > payload.length) return undefined
    const value = valueOf(type[0], payload.subarray(body, body + size))
    if (value === undefined) return undefined
    values.push(value)
    body += size
    at = type[1]
  }
  return at === headerEnd && body === payload.length ? values : undefined
}
