/**
 * `config/steno.json` of a home: what a person may set. Every key is optional; an unknown one is refused.
 *
 * Owns: keys, units, ranges and defaults.
 */
import { Schema } from "effect"
import { ByteCount } from "../units.ts"

export const HomeConfig = Schema.Struct({
  /** Bytes of managed files above which no new call of a Session starts; default 4 GiB. */
  sessionQuotaBytes: Schema.optionalKey(ByteCount),
  /** Free bytes of the home's file system below which no new call starts; default 256 MiB. */
  minFreeBytes: Schema.optionalKey(ByteCount),
  /** Days after which `gc` removes resting Runs; absent: they are kept. */
  retentionDays: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
})
export type HomeConfig = typeof HomeConfig.Type
