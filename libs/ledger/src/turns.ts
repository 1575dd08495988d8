/**
 * Domain writes of Turns.
 *
 * Owns: `turn` rows, `turn-admitted` and `turn-settled` events.
 * Ordering: a Turn's input is stored before anything acts on it; its result after every response.
 */
import type {
  Asset,
  ConversationId,
  Instant,
  RunState,
  ToolCallResponse,
  TurnId,
  TurnSettled
} from "@steno/contracts"
import { Context, type Effect } from "effect"
import type { Fence } from "./fence.ts"
import type { LedgerError } from "./ledger-errors.ts"

export interface TurnSettlement {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly settled: TurnSettled
  /** Responses of calls the Turn leaves open, prepared by tool-call-service; a call that is settled by now is skipped. */
  readonly responses: ReadonlyArray<{ readonly response: ToolCallResponse; readonly assets: ReadonlyArray<Asset> }>
  /** The state the Run rests in; ownership is given up in the same transaction. Absent: the Run stays as it is. */
  readonly rest?: RunState
  readonly at: Instant
}

export class TurnLedger extends Context.Service<TurnLedger, {
  /** Effective once: on an unknown or settled Turn nothing is written and `false` is answered. `Conflict` when a call would stay open without a response or a response belongs to another Turn; nothing written then. Fails with `Fenced` or a storage reason. */
  readonly settleTurn: (fence: Fence, settlement: TurnSettlement) => Effect.Effect<boolean, LedgerError>
}>()("@steno/ledger/TurnLedger") {}
