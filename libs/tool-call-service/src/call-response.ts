/** Builds the one response of a call from its end and what was prepared. */
import type { CallReason, Instant, Interaction, Supervision, Survivor, ToolCallResponse } from "@steno/contracts"
import type { DecidedEnd } from "./call-rules.ts"
import type { ToolFiles } from "./host-tools.ts"
import type { EndedCall, PreparedResult } from "./result-preparation.ts"

export interface ResponseParts {
  readonly call: EndedCall
  readonly end: DecidedEnd
  readonly startedAt: Instant | undefined
  readonly durationMs: number | undefined
  readonly survivors: ReadonlyArray<Survivor>
  readonly supervision: Supervision | undefined
  readonly interactions: ReadonlyArray<Interaction> | undefined
  readonly captured: ToolFiles | undefined
  readonly prepared: PreparedResult | undefined
  /** All of them, those of the capture and of the preparation included. */
  readonly warnings: ReadonlyArray<CallReason>
}

export const buildResponse = (parts: ResponseParts): ToolCallResponse => ({
  callId: parts.call.callId,
  tool: parts.call.tool,
  origin: parts.call.origin,
  ...parts.end,
  ...(parts.startedAt === undefined ? {} : { startedAt: parts.startedAt }),
  ...(parts.durationMs === undefined ? {} : { durationMs: parts.durationMs }),
  survivors: parts.survivors,
  ...(parts.prepared === undefined
    ? {}
    : {
      agentProjection: parts.prepared.agentProjection,
      ...(parts.prepared.agentImages === undefined ? {} : { agentImages: parts.prepared.agentImages }),
      cardProjection: parts.prepared.cardProjection
    }),
  ...(parts.captured === undefined
    ? {}
    : { retainedOutput: parts.captured.retained, capture: parts.captured.facts }),
  ...(parts.supervision === undefined ? {} : { supervision: parts.supervision }),
  ...(parts.interactions === undefined ? {} : { interactions: parts.interactions }),
  warnings: parts.warnings,
  assetIds: parts.prepared?.assets.map((asset) => asset.assetId) ?? []
})
