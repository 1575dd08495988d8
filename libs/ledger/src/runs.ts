/**
 * Domain writes and reads of Runs: admission, ownership, listing, one consistent reading.
 *
 * Owns: `run` and `session` rows, epochs.
 * Never owns: what a client sees of a Run (application).
 */
import type {
  Asset,
  AssetId,
  ConversationId,
  HarnessName,
  Instant,
  LoggedEvent,
  OperationId,
  ProcessIdentity,
  RunId,
  RunKind,
  RunState,
  SessionAvailability,
  StartInput,
  TurnAdmitted,
  TurnId,
  TurnOrigin,
  TurnResultKind,
  UnfinishedCall
} from "@steno/contracts"
import { Context, type Effect } from "effect"
import type { Fence } from "./fence.ts"
import type { LedgerError } from "./ledger-errors.ts"

export interface RunAdmission {
  readonly operationId: OperationId
  readonly input: StartInput
  readonly runId: RunId
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly owner: ProcessIdentity
  readonly admitted: TurnAdmitted
  readonly at: Instant
}

/** `repeated`: the same Operation was admitted before; its Run is named and nothing was written. */
export interface RunAdmitted {
  readonly repeated: boolean
  readonly runId: RunId
  readonly epoch: number
}

export interface RunRow {
  readonly runId: RunId
  readonly kind: RunKind
  readonly workspacePath: string
  readonly harness: HarnessName
  readonly state: RunState
  readonly epoch: number
  /** Present while a process owns the Run. */
  readonly owner?: ProcessIdentity
  readonly launchedAt: Instant
  readonly settledAt?: Instant
  /** Time of the newest stored fact. */
  readonly activityAt: Instant
  /** Input of the first Turn. */
  readonly input: string
}

export interface SessionRow {
  readonly conversationId: ConversationId
  readonly runId: RunId
  readonly name: string
  readonly availability: SessionAvailability
  /** By what its outside conversation can be reattached to; opaque, never shown. */
  readonly coordinate?: string
}

export interface TurnRow {
  readonly turnId: TurnId
  readonly conversationId: ConversationId
  readonly origin: TurnOrigin
  readonly entry: boolean
  readonly admittedAt: Instant
  readonly result?: TurnResultKind
  readonly settledAt?: Instant
}

/**
 * Everything stored of a Run, of one moment. Events are by Session, then sequence, with a value for what cannot be read as one;
 * Turns and Sessions are by creation.
 */
export interface RunRecord {
  readonly run: RunRow
  /** What it was started with; absent where that cannot be read any more. */
  readonly start?: StartInput
  readonly sessions: ReadonlyArray<SessionRow>
  readonly turns: ReadonlyArray<TurnRow>
  readonly events: ReadonlyArray<LoggedEvent>
  readonly unfinished: ReadonlyArray<UnfinishedCall>
  readonly assets: ReadonlyArray<Asset>
}

export interface OwnedAsset {
  readonly conversationId: ConversationId
  readonly asset: Asset
}

export interface RunQuery {
  /** Absent: every workspace. */
  readonly workspacePath?: string
  /** Only Runs in these states. */
  readonly states?: ReadonlyArray<RunState>
  /** Only Runs older than this one. */
  readonly before?: RunId
  readonly limit: number
}

export class RunLedger extends Context.Service<RunLedger, {
  /** One transaction: the Operation (applied), Run with owner and epoch 1, Session, Turn, `turn-admitted`. Idempotent per operation id and input; `OperationIdReused` for another input. */
  readonly admitRun: (admission: RunAdmission) => Effect.Effect<RunAdmitted, LedgerError>
  /** The Run that an equal Operation started before; `OperationIdReused` for another input. Reads only. */
  readonly admittedRun: (
    operation: Pick<RunAdmission, "operationId" | "input">
  ) => Effect.Effect<RunAdmitted | undefined, LedgerError>
  /** What the Run was started with; undefined for an unknown Run, and where that cannot be read any more. */
  readonly startInput: (runId: RunId) => Effect.Effect<StartInput | undefined, LedgerError>
  /** Compare-and-set, of a Run at rest or of one whose owner is gone: makes `owner` the owner with the next epoch if the Run still has `epoch` and is not buried; `Fenced` otherwise. `state`: what the Run shows from now on; absent: as before. */
  readonly takeOver: (
    run: {
      readonly runId: RunId
      readonly epoch: number
      readonly owner: ProcessIdentity
      readonly state?: RunState
      readonly at: Instant
    }
  ) => Effect.Effect<Fence, LedgerError>
  /**
   * Sets the state a Run rests in and gives up ownership; `cancelled` ends its Sessions. `Conflict` while a Turn is unsettled;
   * a Run may rest `blocked` with Turns whose calls all await a person, and has no `settledAt` then.
   */
  readonly restRun: (fence: Fence, rest: { readonly state: RunState; readonly at: Instant }) => Effect.Effect<void, LedgerError>
  /** Runs that have an owner, oldest first. */
  readonly ownedRuns: Effect.Effect<ReadonlyArray<RunRow>, LedgerError>
  /** One consistent reading, or undefined for an unknown Run; `RecordDamaged` when the Run's own row is lost. */
  readonly readRun: (runId: RunId) => Effect.Effect<RunRecord | undefined, LedgerError>
  /** State and owner only. */
  readonly runRow: (runId: RunId) => Effect.Effect<RunRow | undefined, LedgerError>
  /** Newest first. */
  readonly listRuns: (query: RunQuery) => Effect.Effect<ReadonlyArray<RunRow>, LedgerError>
  /** Ids of Runs that start with `prefix`, at most `limit`, newest first. */
  readonly runIdsByPrefix: (prefix: string, limit: number) => Effect.Effect<ReadonlyArray<RunId>, LedgerError>
  /** A managed file by its id, with the Session that owns it, or undefined. */
  readonly ownedAsset: (assetId: AssetId) => Effect.Effect<OwnedAsset | undefined, LedgerError>
}>()("@steno/ledger/RunLedger") {}
