/**
 * Domain writes of Turns, and what a model may see of the Session they belong to.
 *
 * Owns: `turn` rows, `turn-admitted` and `turn-settled` events.
 * Ordering: a Turn's input is stored before anything acts on it; its result after every response.
 */
import type {
  Asset,
  ConversationId,
  EventPayload,
  EventType,
  Instant,
  LoggedEvent,
  RunState,
  StoredEvent,
  ToolCallResponse,
  TurnAdmitted,
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

export interface TurnAdmission {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly admitted: TurnAdmitted
  readonly at: Instant
}

type TurnFactType = Exclude<
  EventType,
  "turn-admitted" | "turn-settled" | "assistant-message" | "tool-call-started" | "tool-call-response"
>

/** Facts of a Turn that come with no row: those of calls and of the Turn itself have writes of their own. */
export type TurnFact = {
  readonly [Type in TurnFactType]: {
    readonly type: Type
    readonly payload: EventPayload<Type>
  }
}[TurnFactType]

export interface TurnEvent {
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** Absent for a fact that shows nowhere among the items of the Turn. */
  readonly item?: {
    /** Opaque, unique in its Turn among items of its type. */
    readonly itemId: string
    /** Order of first appearance inside the Turn, from 0. */
    readonly firstSeen: number
  }
  readonly fact: TurnFact
  readonly at: Instant
}

export interface ContextPage {
  /** By sequence, with a value for what cannot be read as an event. */
  readonly events: ReadonlyArray<LoggedEvent>
  /** The page after this one begins behind it; also when `events` is empty. */
  readonly readTo: number
  /** Nothing more was stored when this was read. */
  readonly isComplete: boolean
}

export class TurnLedger extends Context.Service<TurnLedger, {
  /**
   * A further Turn of a Session: one transaction stores it and its `turn-admitted`, and the Run shows `running`. Idempotent on
   * the Turn's id: `false` when it was admitted before; nothing is written then. `Conflict` when the Session is not an open
   * one of this Run or another Turn of it is unsettled.
   */
  readonly admitTurn: (fence: Fence, admission: TurnAdmission) => Effect.Effect<boolean, LedgerError>
  /**
   * Appends a fact of a live Turn and answers with it; with undefined, and nothing written, for a second delivery of a Steer,
   * a second Turn diff, and a text or Thought whose item is settled. `Conflict` when the Turn is unknown, of another Run or settled.
   */
  readonly appendTurnEvent: (fence: Fence, event: TurnEvent) => Effect.Effect<StoredEvent | undefined, LedgerError>
  /**
   * Keeps by what the Session of a live Turn can be reattached to, and that it is open. `Conflict` when the Turn is unknown, of
   * another Run or settled.
   */
  readonly keepCoordinate: (
    fence: Fence,
    session: { readonly conversationId: ConversationId; readonly turnId: TurnId; readonly coordinate: string }
  ) => Effect.Effect<void, LedgerError>
  /** Effective once: on an unknown or settled Turn nothing is written and `false` is answered. `Conflict` when a call would stay open without a response or a response belongs to another Turn; nothing written then. Fails with `Fenced` or a storage reason. */
  readonly settleTurn: (fence: Fence, settlement: TurnSettlement) => Effect.Effect<boolean, LedgerError>
  /**
   * One page of a Session's events as a model may see them: inputs, assistant messages, responses, delivered Steers. A response
   * comes without what only people see (card, retained output, capture, supervision, interactions).
   * `after`: sequence, exclusive, default 0. `limit`: events looked at, 1 … 500, default 100; the page may hold fewer.
   * An unknown Session reads as empty.
   */
  readonly sessionContext: (
    page: { readonly conversationId: ConversationId; readonly after?: number; readonly limit?: number }
  ) => Effect.Effect<ContextPage, LedgerError>
}>()("@steno/ledger/TurnLedger") {}
