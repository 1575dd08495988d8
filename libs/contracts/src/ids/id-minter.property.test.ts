import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import fc from "fast-check"
import { makeIdMinter } from "./id-minter.ts"
import { AssetId, CallId, ConversationId, type IdPrefix, InputId, OperationId, RequestId, RunId, SteerId, TurnId } from "./ids.schema.ts"

const schemas = {
  run: RunId,
  conv: ConversationId,
  turn: TurnId,
  call: CallId,
  asset: AssetId,
  steer: SteerId,
  input: InputId,
  op: OperationId,
  req: RequestId
}
const prefixes = Object.keys(schemas) as ReadonlyArray<IdPrefix>

const clockAt = (nowMs: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: nowMs,
  currentTimeMillis: Effect.sync(nowMs),
  currentTimeNanosUnsafe: () => BigInt(nowMs()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(nowMs()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => 0n,
  monotonicTimeNanos: Effect.succeed(0n),
  sleep: () => Effect.void
})

const mintAt = (
  minter: ReturnType<typeof makeIdMinter>,
  times: ReadonlyArray<number>,
  prefix: IdPrefix = "run"
): ReadonlyArray<string> =>
  times.map((nowMs) => Effect.runSync(Effect.provideService(minter.mint(prefix), Clock.Clock, clockAt(() => nowMs))))

const times = fc.array(fc.integer({ min: 0, max: 2 ** 48 - 1 }), { minLength: 2, maxLength: 60 })
const crowded = fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_003 }), { minLength: 2, maxLength: 200 })

describe("minted ids", () => {
  it("are unique and in order of minting, also within one millisecond and when the clock steps back", () => {
    fc.assert(fc.property(fc.oneof(times, crowded), (instants) => {
      const ids = mintAt(makeIdMinter(), instants)
      expect(new Set(ids).size).toBe(ids.length)
      expect([...ids].sort()).toEqual(ids)
    }))
  })

  it("stay in order when the random bits of a millisecond are used up", () => {
    const ids = mintAt(makeIdMinter(() => (1n << 80n) - 1n), [5, 5, 5, 6, 7])
    expect(new Set(ids).size).toBe(5)
    expect([...ids].sort()).toEqual(ids)
  })

  it("fit the schema of their prefix and of no other", () => {
    fc.assert(fc.property(times, fc.constantFrom(...prefixes), (instants, prefix) => {
      for (const id of mintAt(makeIdMinter(), instants, prefix)) {
        for (const other of prefixes) {
          if (other === "op") continue
          expect(Schema.is(schemas[other])(id)).toBe(other === prefix)
        }
        expect(Schema.is(OperationId)(id)).toBe(true)
      }
    }), { numRuns: 30 })
  })

  it("begin with the time they were minted at", () => {
    const [early, late] = mintAt(makeIdMinter(() => 0n), [1, 1_767_323_045_000])
    expect(early).toBe("run_00000000010000000000000000")
    expect(late?.slice(4, 14)).toBe("01KDYAK348")
  })

  it("of two minters at the same instant differ", () => {
    const [first] = mintAt(makeIdMinter(), [1_000])
    const [second] = mintAt(makeIdMinter(), [1_000])
    expect(first).not.toBe(second)
  })
})
