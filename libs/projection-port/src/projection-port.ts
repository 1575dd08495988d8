/**
 * The Projection Port: everything a client may ask of the application.
 *
 * Owns: the interface between the application and its clients.
 * Never owns: exit codes, text, JSON on a screen (headless).
 */
import type {
  CallId,
  CallOutput,
  CaptureStream,
  HarnessCatalog,
  OperationId,
  OperationInput,
  OperationOutcome,
  ProjectionDocument,
  QuietCall,
  RunExport,
  RunId,
  RunListDocument,
  RunSnapshot,
  TranscriptExport,
  TranscriptPage
} from "@steno/contracts"
import { Context, type Effect, type Stream } from "effect"
import type { PortProblem } from "./port-problem.ts"

/** A Session of a Run; without a name the Run's first. */
export interface SessionReference {
  readonly run: RunReference
  readonly session?: string
}

export interface TranscriptQuery extends SessionReference {
  /** Opaque, from `older` or a snapshot's `transcriptPage`; absent: the newest page. */
  readonly cursor?: string
}

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

export interface HarnessCheckQuery {
  /** As `--harness` takes it. */
  readonly harness: string
  /** Absolute. */
  readonly workspacePath: string
}

export interface Submitted {
  readonly operationId: OperationId
  readonly runId: RunId
}

export class ProjectionPort extends Context.Service<ProjectionPort, {
  /**
   * Admits an Operation and resolves once that is done, not when its work is.
   * It is durable then, and idempotent: same id and equal input give the same answer without a second effect; another input
   * fails with `operation-id-reused`. An id is minted when none is given. `run-not-found` where there is no such Run.
   * Only an interrupt of a Run that is live in this process is not stored: it acts at once, asking again is harmless, and
   * `awaitOperation` does not know it (`awaitRest` tells what became of the Run).
   */
  readonly submit: (
    request: { readonly operationId?: string; readonly input: OperationInput }
  ) => Effect.Effect<Submitted, PortProblem>
  /** Resolves when the Operation is settled, wherever its Run is live; after 10 s without the owner's answer it is `pending` with the Problem `operation-pending`. */
  readonly awaitOperation: (operationId: OperationId) => Effect.Effect<OperationOutcome, PortProblem>
  /** The id of a named Run. */
  readonly resolveRun: (run: RunReference) => Effect.Effect<RunId, PortProblem>
  /** The id of a named call, settled or not. `call-not-found`, `id-ambiguous`. */
  readonly resolveCall: (query: Pick<CallReadQuery, "run" | "call">) => Effect.Effect<CallId, PortProblem>
  /** The Run now. */
  readonly showRun: (run: RunReference) => Effect.Effect<RunSnapshot, PortProblem>
  /** Resolves when the Run rests, wherever it is live. */
  readonly awaitRest: (runId: RunId) => Effect.Effect<RunSnapshot, PortProblem>
  /** Live, never stored: a call of a Run that is live in this process has printed nothing for 30 s; once per silence, told to whoever listens then. Never ends. */
  readonly quietCalls: (runId: RunId) => Stream.Stream<QuietCall>
  /** What a Run takes that names no harness: the home's setting, else `command`. */
  readonly defaultHarness: Effect.Effect<string, PortProblem>
  /** Every harness there is, and what can be said of it without asking a model anything. `workspacePath` is absolute. */
  readonly listHarnesses: (workspacePath: string) => Effect.Effect<HarnessCatalog, PortProblem>
  /** One of them with its capabilities; nothing is sent to a model. `harness-unknown`. */
  readonly checkHarness: (query: HarnessCheckQuery) => Effect.Effect<HarnessCatalog, PortProblem>
  readonly listRuns: (query: RunListQuery) => Effect.Effect<RunListDocument, PortProblem>
  /** One page of a Session's transcript, with the cutoff its first page fixed. `run-session-not-found`, `run-transcript-cursor-invalid`. */
  readonly readTranscript: (query: TranscriptQuery) => Effect.Effect<TranscriptPage, PortProblem>
  /** The complete transcript, with its own cutoff. */
  readonly exportTranscript: (session: SessionReference) => Effect.Effect<TranscriptExport, PortProblem>
  /** The Run with every Session's transcript and calls. */
  readonly exportRun: (run: RunReference) => Effect.Effect<RunExport, PortProblem>
  readonly readCall: (query: CallReadQuery) => Effect.Effect<CallOutput, PortProblem>
  /**
   * What a model sees of a call and why each line was kept: made again from the verified file and the stored facts, which gives
   * the stored text, or says so in `warnings`. `asset-not-found` while the call is not settled.
   */
  readonly explainCall: (query: Pick<CallReadQuery, "run" | "call">) => Effect.Effect<ProjectionDocument, PortProblem>
  /** The stored bytes of a whole stream; empty when it does not exist. */
  readonly callBytes: (
    query: Pick<CallReadQuery, "run" | "call" | "stream">
  ) => Stream.Stream<Uint8Array, PortProblem>
}>()("@steno/projection-port/ProjectionPort") {}
