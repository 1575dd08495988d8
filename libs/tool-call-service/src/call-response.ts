/** Builds the one response of a call from its end and what was prepared. */
import type { Asset, CallReason, Instant, Interaction, ReportedFacts, RetainedOutput, Supervision, Survivor, ToolCallResponse } from "@steno/contracts"
import type { DecidedEnd } from "./call-rules.ts"
import type { ToolFiles } from "./host-tools.ts"
import type { EndedCall, PreparedResult } from "./result-preparation.ts"

export interface ResponseParts {
  readonly call: Pick<EndedCall, "callId" | "tool" | "origin">
  readonly end: DecidedEnd
  readonly startedAt?: Instant | undefined
  readonly durationMs?: number | undefined
  readonly survivors?: ReadonlyArray<Survivor>
  readonly supervision?: Supervision | undefined
  readonly interactions?: ReadonlyArray<Interaction> | undefined
  readonly captured?: ToolFiles | undefined
  /** Output that was supplied; it is kept before what its files hold. */
  readonly supplied?: RetainedOutput | undefined
  readonly reported?: ReportedFacts | undefined
  readonly prepared?: PreparedResult | undefined
  /** Of a call without a preparation. */
  readonly assets?: ReadonlyArray<Asset> | undefined
  /** All of them, those of the capture and of the preparation included. */
  readonly warnings?: ReadonlyArray<CallReason>
}

const present = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: Value }

export const buildResponse = ({ call, captured, end, prepared, supplied, ...parts }: ResponseParts): ToolCallResponse => ({
  callId: call.callId,
  tool: call.tool,
  origin: call.origin,
  ...end,
  ...present("startedAt", parts.startedAt),
  ...present("durationMs", parts.durationMs),
  survivors: parts.survivors ?? [],
  ...present("agentProjection", prepared?.agentProjection),
  ...present("agentImages", prepared?.agentImages),
  ...present("cardProjection", prepared?.cardProjection),
  ...present("agentCallReply", prepared?.agentCallReply),
  ...present("retainedOutput", supplied ?? captured?.retained),
  ...present("reported", parts.reported),
  ...present("capture", captured?.facts),
  ...present("supervision", parts.supervision),
  ...present("interactions", parts.interactions),
  warnings: parts.warnings ?? [],
  assetIds: (parts.assets ?? prepared?.assets ?? []).map((asset) => asset.assetId)
})
