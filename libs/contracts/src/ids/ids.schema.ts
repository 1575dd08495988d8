/**
 * Branded ids: a prefix that names the kind, then 26 Crockford base-32 characters that sort by creation time.
 *
 * Owns: the text form of every id that crosses a boundary.
 * Never owns: minting (id-minter), shortened ids as a person types them (headless).
 */
import { Schema } from "effect"

const idPattern = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

const id = <const Prefix extends string, const Brand extends string>(prefix: Prefix, brand: Brand) =>
  Schema.String.check(
    Schema.isPattern(idPattern(prefix), { message: `Expected ${prefix}_ and 26 Crockford base-32 characters` })
  ).pipe(Schema.brand<Brand>(brand as never))

export const RunId = id("run", "RunId")
export type RunId = typeof RunId.Type
export const ConversationId = id("conv", "ConversationId")
export type ConversationId = typeof ConversationId.Type
export const TurnId = id("turn", "TurnId")
export type TurnId = typeof TurnId.Type
export const CallId = id("call", "CallId")
export type CallId = typeof CallId.Type
export const SteerId = id("steer", "SteerId")
export type SteerId = typeof SteerId.Type
export const RequestId = id("req", "RequestId")
export type RequestId = typeof RequestId.Type
export const InputId = id("input", "InputId")
export type InputId = typeof InputId.Type
export const AssetId = id("asset", "AssetId")
export type AssetId = typeof AssetId.Type

/** A client's operation id: 1–128 characters of `[A-Za-z0-9._:-]`. Steno mints `op_…` when a client gives none. */
export const OperationId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._:-]{1,128}$/, { message: "Expected 1 to 128 characters of A-Z a-z 0-9 . _ : -" })
).pipe(Schema.brand("OperationId"))
export type OperationId = typeof OperationId.Type

/** The prefix of each minted id and the brand it yields. */
export interface IdByPrefix {
  readonly run: RunId
  readonly conv: ConversationId
  readonly turn: TurnId
  readonly call: CallId
  readonly asset: AssetId
  readonly steer: SteerId
  readonly input: InputId
  readonly op: OperationId
  readonly req: RequestId
}
export type IdPrefix = keyof IdByPrefix
