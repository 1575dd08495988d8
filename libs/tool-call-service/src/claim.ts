/** Execution claims: the token only whose holder may settle a running call. */
import { Context, Effect } from "effect"

const random128 = (): string =>
  Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Source of the 128 random bits of a claim, as 32 hexadecimal digits. */
export const ClaimRandom = Context.Reference<() => string>("@steno/tool-call-service/ClaimRandom", {
  defaultValue: () => random128
})

/** `claim_<epoch>_<128 random bits>`: two owners of one Run can never mint the same claim. */
export const mintClaim = Effect.fnUntraced(function*(epoch: number) {
  const random = yield* ClaimRandom
  return `claim_${epoch}_${random()}`
})
