/**
 * The Projection Port: everything a client may ask of the application.
 *
 * Owns: the interface between the application and its clients.
 * Never owns: exit codes, text, JSON on a screen (headless).
 */
import type {
  CallOutput,
  CaptureStream,
  InterruptInput,
  OperationId,
  RunId,
  RunListDocument,
  RunSnapshot,
  StartInput
} from "@steno/contracts"
import { Context, type Effect, type Stream } from "effect"
import type { PortProblem } from "./port-problem.ts"

/** How a person names a Run: an id, a unique prefix of at least 8 characters after `run_`, or `@last` (newest of the workspace). */
export interface RunReference {
  readonly text: string
  /** Absolute path `@last` looks in. */
  readonly workspacePath: string
}

export interface RunListQuery {
  /** Absent: every workspace. */
  readonly workspacePath?: string
  readonly resumable: boolean
  /** Opaque, from `nextCursor`. */
  readonly before?: string
  /** 1 … 200. */
  readonly limit: number
}

export interface CallReadQuery {
  readonly run: RunReference
  /** A call id, a unique prefix of at least 8 characters after `call_`, or its ordinal in the Run. */
  readonly call: string
  readonly stream: CaptureStream
  /** 0-based; absent: the last lines. */
  readonly offset?: number
  /** 1 … 500; absent: 100. */
  readonly limit?: number
}

export interface Submitted {
  readonly operationId: OperationId
  readonly runId: RunId
}

export class ProjectionPort extends Context.Service<ProjectionPort, {
  /**
   * Admits an Operation and resolves once that is done, not when its work is.
   * A start is durable then, and idempotent: same id and equal input give the same answer without a second effect; another input
   * fails with `operation-id-reused`. An id is minted when none is given.
   * An interrupt acts on a Run that is live in this process and is not stored; asking again is harmless.
   */
  readonly submit: (
    request: { readonly operationId?: string; readonly input: StartInput | InterruptInput }
  ) => Effect.Effect<Submitted, PortProblem>
  /** The Run now. */
  readonly showRun: (run: RunReference) => Effect.Effect<RunSnapshot, PortProblem>
  /** Resolves when the Run rests, wherever it is live. */
  readonly awaitRest: (runId: RunId) => Effect.Effect<RunSnapshot, PortProblem>
  readonly listRuns: (query: RunListQuery) => Effect.Effect<RunListDocument, PortProblem>
  readonly readCall: (query: CallReadQuery) => Effect.Effect<CallOutput, PortProblem>
  /** The stored bytes of a whole stream; empty when it does not exist. */
  readonly callBytes: (
    query: Pick<CallReadQuery, "run" | "call" | "stream">
  ) => Stream.Stream<Uint8Array, PortProblem>
}>()("@steno/projection-port/ProjectionPort") {}
