/**
 * What a row shows, by kind.
 *
 * Owns: the fields of each kind that stored events can fill today.
 * Limits: `incomplete` and `dropped` are true or absent; a field without a fact is absent.
 */
import type {
  AgentCallName,
  CallId,
  CallOutcome,
  CallReason,
  CardProjection,
  HarnessName,
  RetainedOutput,
  SteerId,
  Survivor,
  TurnDiff,
  TurnOrigin,
  TurnResultKind,
  UnreadableFacts
} from "@steno/contracts"

/** The input of a Turn that a person typed, or a text of the model. */
export interface MessageValue {
  readonly kind: "message"
  readonly role: "user" | "assistant"
  readonly content: string
  readonly incomplete?: true
}

/** A summary of the model's reasoning that its provider wrote for people. */
export interface ThoughtValue {
  readonly kind: "thought"
  readonly content: string
  readonly incomplete?: true
  readonly durationMs?: number
}

/** `not-delivered`: dropped by an interrupt. `unconfirmed`: nobody said what became of it. */
export interface SteerValue {
  readonly kind: "steer"
  readonly steerId: SteerId
  readonly content: string
  readonly delivery: "waiting" | "within-turn" | "after-boundary" | "re-delivered" | "not-delivered" | "unconfirmed"
}

/** What an outside agent asked; `declined` where Steno gives no such thing. */
export interface RequestValue {
  readonly kind: "request"
  /** Absent where what it asked cannot be read. */
  readonly description?: string
  readonly state: "open" | "answered" | "expired" | "declined"
}

/** What a Turn changed. */
export interface TurnDiffValue {
  readonly kind: "turn-diff"
  readonly content: string
  readonly files: TurnDiff["files"]
}

/**
 * The agent's call for control of its Run. `reason`: its own; empty where it cannot be read. `refusal`: why it was refused.
 * `applied`: accepted, the latest of its Turn, which completed.
 */
export interface AgentCallValue {
  readonly kind: "agent-call"
  readonly call: AgentCallName
  readonly reason: string
  readonly reply?: "accepted" | "held-for-review" | "refused"
  readonly refusal?: string
  readonly disposition: "pending" | "applied" | "not-applied"
}

/** The input of a `managed` Turn: a program wrote it, not the person. */
export interface EntryPromptValue {
  readonly kind: "entry-prompt"
  readonly content: string
}

/**
 * A call: `outcome` once it ended; before that `state` where the log alone tells it: a call of a model may wait for a person or
 * run, which only its row in the ledger says.
 */
export interface ToolValue {
  readonly kind: "tool"
  readonly callId: CallId
  readonly tool: string
  /** What it was asked, in one line. */
  readonly input: string
  readonly card?: CardProjection
  readonly durationMs?: number
  /** Never empty. */
  readonly survivors?: ReadonlyArray<Survivor>
  /** Bytes the capture of both streams does not hold; from 1. */
  readonly droppedBytes?: number
  /** Never empty. */
  readonly warnings?: ReadonlyArray<CallReason>
  readonly cwd?: string
  readonly state?: "running"
  /** `unconfirmed`: an observed call whose end is indeterminate. */
  readonly outcome?: CallOutcome | "unconfirmed"
  readonly exitCode?: number
  readonly signal?: string
  readonly reason?: CallReason
  /** Absent: unavailable, which is not the same as empty. */
  readonly output?: RetainedOutput
}

/** The closing line of a Turn. */
export interface TurnResultValue {
  readonly kind: "turn-result"
  /** `unknown`: the Turn's admission cannot be read. */
  readonly origin: TurnOrigin | "unknown"
  readonly result: TurnResultKind
  /** Absent when the Turn's admission cannot be read. */
  readonly harness?: HarnessName
  /** The one that answered last, else the one that was asked for. */
  readonly model?: string
  /** From admission to settlement; absent when lost, not started, the admission cannot be read, or the clock went back. */
  readonly durationMs?: number
}

/** A place in the log where no event can be read. */
export interface UnreadableValue extends UnreadableFacts {
  readonly kind: "unreadable"
}

export type RowValue =
  | MessageValue
  | EntryPromptValue
  | ThoughtValue
  | ToolValue
  | SteerValue
  | RequestValue
  | TurnDiffValue
  | AgentCallValue
  | TurnResultValue
  | UnreadableValue
