/**
 * Port that prepares what a model and a card see of a call, and the facts of its files.
 *
 * Owns: what is known of an ended call.
 * Never owns: projections, files; the composition layer joins those libraries here.
 */
import type { AgentCallReply, Asset, CallReason, CardProjection, ImageReference, Interaction, Supervision, Survivor } from "@steno/contracts"
import { Context, type Effect, Schema } from "effect"
import type { DecidedEnd } from "./call-rules.ts"
import type { HostCall, ToolFiles } from "./host-tools.ts"

/** A call whose result is prepared; without arguments where those it was started with cannot be read any more. */
export type EndedCall = Omit<HostCall, "arguments" | "workspace"> & Partial<Pick<HostCall, "arguments">>

export interface EndedResult {
  readonly end: DecidedEnd
  /** False: it is certain that nothing of it ran. */
  readonly begun: boolean
  /** Of a tool that is a process, and began. */
  readonly captured?: ToolFiles
  /** The whole result of any other tool; absent: it returned none. */
  readonly value?: unknown
  /** The last decision, and who took it. */
  readonly supervision?: Supervision
  /** What people were asked and answered. */
  readonly interactions?: ReadonlyArray<Interaction>
  readonly survivors: ReadonlyArray<Survivor>
  readonly warnings: ReadonlyArray<CallReason>
  readonly durationMs?: number
}

export interface PreparedResult {
  readonly agentProjection: string
  readonly agentImages?: ReadonlyArray<ImageReference>
  readonly cardProjection: CardProjection
  /** Of an Agent call that was taken. */
  readonly agentCallReply?: AgentCallReply
  readonly assets: ReadonlyArray<Asset>
  /** What was found while preparing; added to those of the call. */
  readonly warnings?: ReadonlyArray<CallReason>
}

/** Projections or asset facts could not be made; the call settles without them. */
export class ResultNotPrepared extends Schema.TaggedError<ResultNotPrepared>()("ResultNotPrepared", {
  explanation: Schema.String
}) {
  override get message() {
    return this.explanation
  }
}

export class ResultPreparation extends Context.Service<ResultPreparation, {
  /** Asked once per call, also of one that never began. A failure or defect costs the call its projections and files, not its end. */
  readonly prepare: (call: EndedCall, result: EndedResult) => Effect.Effect<PreparedResult, ResultNotPrepared>
}>()("@steno/tool-call-service/ResultPreparation") {}
