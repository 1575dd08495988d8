/**
 * The policy interface: how a tool's result becomes what a model and a card see.
 *
 * Owns: the shapes every policy answers with.
 * Limits: a policy is pure; callers feed the whole file's bytes block by block, memory stays bounded.
 */
import type { CallOutcome, CallReason, CaptureFacts, CardProjection, ImageReference, Survivor } from "@steno/contracts"
import type { Budget } from "./profiles.ts"

/** Facts of a process that a projection words. Absent exit code and signal: none was collected. */
export interface ProcessFacts {
  readonly tool: string
  readonly command: string
  /** `user`: the projection starts with one line naming the command. */
  readonly origin: "model" | "user" | "client"
  readonly outcome: CallOutcome
  readonly reason?: CallReason
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut?: boolean
  /** True only: an output of which nobody asked how its process ended; nothing is said of that. */
  readonly endUnasked?: true
  readonly durationMs?: number
  readonly capture: CaptureFacts
  readonly survivors: ReadonlyArray<Survivor>
  readonly warnings: ReadonlyArray<CallReason>
  /** Absolute paths of the readable files; absent ones were not written. */
  readonly files: { readonly output?: string; readonly stdout?: string; readonly stderr?: string }
  /** Present: a text around this one says what was run and how it stands. */
  readonly frame?: ProcessFrame
}

export interface ProcessFrame {
  /** Number of the first line that is fed; 1 by default. Decisions keep counting from 1. */
  readonly firstLine?: number
  /** Kept free of the whole text's budget for the lines around it. */
  readonly room: Budget
}

export interface DecisionRecord {
  readonly fits: boolean
  readonly profile: string
  readonly strategy: string
  readonly totalLines: number
  readonly totalBytes: number
  readonly payloadLines: number
  readonly payloadBytes: number
  /** 1-based lines of the output or content; 1-based items or reports where the result has those. */
  readonly kept: ReadonlyArray<{ readonly line: number; readonly why: string }>
  readonly omitted: ReadonlyArray<{ readonly from: number; readonly to: number }>
  /** Where the tool can go on exactly behind what is shown. `line` counts from 1, `byte` from 0. */
  readonly continuation?: { readonly kind: "line" | "byte"; readonly value: number }
  /** What did not go as planned; absent or empty: nothing. */
  readonly warnings?: ReadonlyArray<CallReason>
}

export interface Projection {
  /** What a model sees; well-formed, no control sequence. */
  readonly agent: string
  /** What a model sees beside the text; absent: none. */
  readonly images?: ReadonlyArray<ImageReference>
  readonly card: CardProjection
  readonly decision: DecisionRecord
}

/** One projection in the making: feed the combined output in order, then finish once. */
export interface Projector<Facts> {
  readonly push: (block: Uint8Array) => void
  /** What is fed from here on is in no file, and `lostBytes` before it are nowhere. At most once. */
  readonly leaveFile: (lostBytes: number) => void
  readonly finish: (facts: Facts) => Projection
}

export interface ResultPolicy<Facts> {
  readonly profile: string
  readonly begin: () => Projector<Facts>
}
