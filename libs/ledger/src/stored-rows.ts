/**
 * Table rows as they are read, and what they mean.
 *
 * Owns: the translation of columns into values of contracts.
 * Limits: rows were checked when they were written; JSON columns beside events are read again as what they must be: another value
 * is absent, or an unknown harness. An Operation without its input or outcome is damaged.
 */
import {
  type Asset,
  type AssetId,
  type CallArguments,
  type CallId,
  type CallOrigin,
  type CallState,
  CaptureFileFacts,
  type CaptureStream,
  type ConversationId,
  type EventType,
  HarnessName,
  type Instant,
  Interaction,
  type Operation,
  type OperationId,
  ProcessIdentity,
  type RunId,
  type RunKind,
  type RunState,
  type SessionAvailability,
  StartInput,
  Supervision,
  type TurnId,
  type TurnOrigin,
  type TurnResultKind,
  type UnfinishedCall
} from "@steno/contracts"
import { Option, Schema } from "effect"
import { LedgerError, RecordDamaged } from "./ledger-errors.ts"
import type { RunRow, SessionRow, TurnRow } from "./runs.ts"

/** Throws `RecordDamaged`; for use inside an attempt. */
const parsed = (subject: string, text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    throw new LedgerError({ reason: new RecordDamaged({ subject }) })
  }
}

/** Undefined: nothing was stored, or what stands there is not what was. */
const readAs = <A>(isValue: (value: unknown) => value is A, text: string | null): A | undefined => {
  if (text === null) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isValue(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isHarness = Schema.is(HarnessName)
const isSupervision = Schema.is(Supervision)
const isProcess = Schema.is(ProcessIdentity)
const isCapture = Schema.is(CaptureFileFacts)
const areInteractions = Schema.is(Schema.Array(Interaction))

export interface RunColumns {
  readonly run_id: RunId
  readonly kind: RunKind
  readonly workspace_path: string
  readonly harness: string
  readonly state: RunState
  readonly epoch: number
  readonly owner_boot_id: string | null
  readonly owner_pid: number | null
  readonly owner_start_time: string | null
  readonly launched_at: Instant
  readonly settled_at: Instant | null
  readonly input: string
  readonly newest_event_at: Instant | null
}

const ownerOf = (row: RunColumns): ProcessIdentity | undefined =>
  row.owner_boot_id === null || row.owner_pid === null || row.owner_start_time === null
    ? undefined
    : { bootId: row.owner_boot_id, pid: row.owner_pid, startTime: row.owner_start_time }

/** The newest of some instants; empty without any. */
export const latest = (...instants: ReadonlyArray<Instant | null>): Instant =>
  instants.reduce<Instant>((newest, instant) => (instant !== null && instant > newest ? instant : newest), "")

export const toRunRow = (row: RunColumns): RunRow => {
  const owner = ownerOf(row)
  return {
    runId: row.run_id,
    kind: row.kind,
    workspacePath: row.workspace_path,
    harness: readAs(isHarness, row.harness) ?? { id: "unknown" },
    state: row.state,
    epoch: row.epoch,
    ...(owner && { owner }),
    launchedAt: row.launched_at,
    ...(row.settled_at !== null && { settledAt: row.settled_at }),
    activityAt: latest(row.launched_at, row.settled_at, row.newest_event_at),
    input: row.input
  }
}

export interface SessionColumns {
  readonly conversation_id: ConversationId
  readonly run_id: RunId
  readonly name: string
  readonly availability: SessionAvailability
  readonly recovery_coordinate: string | null
}

export const toSessionRow = (row: SessionColumns): SessionRow => ({
  conversationId: row.conversation_id,
  runId: row.run_id,
  name: row.name,
  availability: row.availability,
  ...(row.recovery_coordinate === null ? {} : { coordinate: row.recovery_coordinate })
})

export interface TurnColumns {
  readonly turn_id: TurnId
  readonly conversation_id: ConversationId
  readonly origin: TurnOrigin
  readonly entry: 0 | 1
  readonly admitted_at: Instant
  readonly result: TurnResultKind | null
  readonly settled_at: Instant | null
}

export const toTurnRow = (row: TurnColumns): TurnRow => ({
  turnId: row.turn_id,
  conversationId: row.conversation_id,
  origin: row.origin,
  entry: row.entry === 1,
  admittedAt: row.admitted_at,
  ...(row.result !== null && { result: row.result }),
  ...(row.settled_at !== null && { settledAt: row.settled_at })
})

export interface EventColumns {
  readonly conversation_id: ConversationId
  readonly sequence: number
  readonly turn_id: TurnId
  readonly item_id: string | null
  readonly first_seen: number | null
  readonly type: EventType
  readonly version: number
  readonly payload: string
  readonly created_at: Instant
}

export interface CallColumns {
  readonly call_id: CallId
  readonly run_id: RunId
  readonly conversation_id: ConversationId
  readonly turn_id: TurnId
  readonly item_id: string
  readonly first_seen: number
  readonly start_sequence: number | null
  readonly content_index: number | null
  readonly interactions: string | null
  readonly origin: CallOrigin
  readonly tool: string
  readonly state: CallState
  readonly supervision: string | null
  readonly claim: string | null
  readonly process: string | null
  readonly started_at: Instant | null
  readonly updated_at: Instant
}

/** What the call asked of persons so far, in order. */
export const toInteractions = (row: CallColumns): ReadonlyArray<Interaction> => readAs(areInteractions, row.interactions) ?? []

/** @param args those of the event that starts the call; undefined where they are no JSON object or cannot be read */
export const toUnfinishedCall = (row: CallColumns, args: CallArguments | undefined): UnfinishedCall => {
  const supervision = readAs(isSupervision, row.supervision)
  const process = readAs(isProcess, row.process)
  const interactions = toInteractions(row)
  return {
    callId: row.call_id,
    runId: row.run_id,
    conversationId: row.conversation_id,
    turnId: row.turn_id,
    itemId: row.item_id,
    firstSeen: row.first_seen,
    origin: row.origin,
    tool: row.tool,
    ...(args === undefined ? {} : { arguments: args }),
    ...(row.origin === "model" && row.start_sequence !== null && { modelStep: row.start_sequence }),
    ...(row.content_index !== null && { contentIndex: row.content_index }),
    state: row.state,
    ...(interactions.length === 0 ? {} : { interactions }),
    ...(supervision === undefined ? {} : { supervision }),
    ...(row.claim !== null && { claim: row.claim }),
    ...(process === undefined ? {} : { process }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    updatedAt: row.updated_at
  }
}

export interface AssetColumns {
  readonly asset_id: AssetId
  readonly call_id: CallId
  readonly category: Asset["category"]
  readonly path: string
  readonly digest: string
  readonly size_bytes: number
  readonly stream: CaptureStream | null
  readonly capture: string | null
}

export const toAsset = (row: AssetColumns): Asset => {
  const capture = readAs(isCapture, row.capture)
  return {
    assetId: row.asset_id,
    callId: row.call_id,
    category: row.category,
    path: row.path,
    digest: row.digest,
    sizeBytes: row.size_bytes,
    ...(row.stream !== null && { stream: row.stream }),
    ...(capture === undefined ? {} : { capture })
  }
}

export interface OperationColumns {
  readonly operation_id: OperationId
  readonly run_id: RunId | null
  readonly input: string
  readonly outcome: string
  readonly admitted_at: Instant
  readonly settled_at: Instant | null
}

const decodeStartInput = Schema.decodeUnknownOption(Schema.fromJsonString(StartInput))

/** Undefined where the text is no such input. */
export const toStartInput = (input: string | undefined): StartInput | undefined => Option.getOrUndefined(decodeStartInput(input))

export const toOperation = (row: OperationColumns): Operation => ({
  operationId: row.operation_id,
  input: parsed(row.operation_id, row.input),
  ...(row.run_id !== null && { runId: row.run_id }),
  outcome: parsed(row.operation_id, row.outcome),
  admittedAt: row.admitted_at,
  ...(row.settled_at !== null && { settledAt: row.settled_at })
})
