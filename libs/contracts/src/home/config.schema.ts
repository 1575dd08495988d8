/**
 * `config/steno.json` of a home: what a person may set. Every key is optional; an unknown one is refused.
 *
 * Owns: keys, units, ranges and defaults.
 */
import { Schema } from "effect"
import { ByteCount } from "../units.ts"

/** As `--harness` takes it; not one of those that have no program. */
const OutsideAgentId = Schema.String.check(Schema.isPattern(/^(?!command$|hosted$)[a-z0-9][a-z0-9-]{0,39}$/))

export const HomeConfig = Schema.Struct({
  /** What carries a Run out that names no harness; default `command`. */
  defaultHarness: Schema.optionalKey(Schema.NonEmptyString),
  models: Schema.optionalKey(Schema.Struct({
    /** Of a hosted Run that names no model, as in `anthropic/MODEL`. */
    default: Schema.optionalKey(Schema.NonEmptyString),
    /** A server that speaks Chat Completions; with the version, as in `http://127.0.0.1:8080/v1`. */
    openaiCompatible: Schema.optionalKey(Schema.Struct({ baseUrl: Schema.optionalKey(Schema.NonEmptyString) }))
  })),
  /** By the id of an outside agent: lower-case letters, digits and dashes, at most 40. */
  harnesses: Schema.optionalKey(Schema.Record(OutsideAgentId, Schema.Struct({
    /** Its program, an absolute path or a name in PATH, then arguments that go before those of Steno. */
    command: Schema.NonEmptyArray(Schema.NonEmptyString)
  }))),
  /** Executed calls of one Run that run at once; default 8. */
  maxCalls: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 32 }))),
  /** Bytes of managed files above which no new call of a Session starts; default 4 GiB. */
  sessionQuotaBytes: Schema.optionalKey(ByteCount),
  /** Free bytes of the home's file system below which no new call starts; default 256 MiB. */
  minFreeBytes: Schema.optionalKey(ByteCount),
  /** Days after which `gc` removes resting Runs; absent: they are kept. */
  retentionDays: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
})
export type HomeConfig = typeof HomeConfig.Type
