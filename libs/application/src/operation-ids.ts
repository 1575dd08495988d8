/**
 * Ids of what an Operation begins, so that repeating the Operation begins nothing else.
 *
 * Owns: the derivation: the time of the Operation, then a digest of its id and Run. Pure.
 */
import { type RunId, SteerId, TurnId, type OperationId } from "@steno/contracts"
import { createHash } from "node:crypto"

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const timeDigits = 10
const digestDigits = 16

export interface BegunBy {
  readonly operationId: OperationId
  readonly runId: RunId
  readonly admittedAt: string
}

/** 26 Crockford digits that sort by the time of the Operation. */
const suffix = (kind: string, { admittedAt, operationId, runId }: BegunBy): string => {
  let time = Math.max(0, Date.parse(admittedAt))
  let text = ""
  for (let at = 0; at < timeDigits; at++) {
    text = digits.charAt(time % 32) + text
    time = Math.floor(time / 32)
  }
  const digest = createHash("sha256").update(JSON.stringify([kind, operationId, runId])).digest()
  for (let at = 0; at < digestDigits; at++) text += digits.charAt((digest[at] ?? 0) % 32)
  return text
}

export const turnIdOf = (operation: BegunBy): TurnId => TurnId.make(`turn_${suffix("turn", operation)}`)

export const steerIdOf = (operation: BegunBy): SteerId => SteerId.make(`steer_${suffix("steer", operation)}`)
