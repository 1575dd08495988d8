/**
 * Mints ids that sort by creation time, also within one millisecond.
 *
 * Owns: the 48-bit time and 80-bit random part of an id.
 * Limits: monotonic inside one process; a clock that steps back keeps the last time seen.
 */
import { Clock, Context, Effect } from "effect"
import type { IdByPrefix, IdPrefix } from "./ids.schema.ts"

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const randomBits = 80n
const randomMask = (1n << randomBits) - 1n

const encodeId = (value: bigint): string => {
  let rest = value
  let text = ""
  for (let index = 0; index < 26; index++) {
    text = crockford[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return text
}

const random80 = (): bigint => {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(10))
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

/** `mint(prefix)` resolves to a new id; never fails. */
export interface IdMinterService {
  readonly mint: <Prefix extends IdPrefix>(prefix: Prefix) => Effect.Effect<IdByPrefix[Prefix]>
}

/**
 * @param random a source of 80 random bits, asked once per id; the default is the platform's cryptographic one
 */
export const makeIdMinter = (random: () => bigint = random80): IdMinterService => {
  let last = 0n
  return {
    mint: <Prefix extends IdPrefix>(prefix: Prefix) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const fresh = (BigInt(Math.max(0, Math.floor(nowMs))) << randomBits) | (random() & randomMask)
        last = fresh >> randomBits > last >> randomBits ? fresh : last + 1n
        return `${prefix}_${encodeId(last)}` as IdByPrefix[Prefix]
      })
  }
}

/** The process-wide minter; tests may provide their own. */
export const IdMinter = Context.Reference<IdMinterService>("@steno/contracts/IdMinter", { defaultValue: () => makeIdMinter() })
