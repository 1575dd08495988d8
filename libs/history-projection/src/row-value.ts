/**
 * What a row shows, by kind.
 *
 * Owns: the fields of each kind that stored events can fill today.
 * Limits: `incomplete` and `dropped` are true or absent; a field without a fact is absent.
 */
import type {
  CallId,
  CallOutcome,
  CallReason,
  CardProjection,
  HarnessName,
  RetainedOutput,
  Survivor,
  TurnOrigin,
  TurnResultKind,
  UnreadableFacts
} from "@steno/contracts"

/** The input of a Turn that a person typed. */
export interface MessageValue {
  readonly kind: "message"
  readonly role: "user"
  readonly content: string
}

/** The input of a `managed` Turn: a program wrote it, not the person. */
export interface EntryPromptValue {
  readonly kind: "entry-prompt"
  readonly content: string
}

/** A call: `state` while it is unfinished, `outcome` afterwards. */
export interface ToolValue {
  readonly kind: "tool"
  readonly callId: CallId
  readonly tool: string
  /** The command text. */
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
  /** From admission to settlement; absent when lost, not started, the admission cannot be read, or the clock went back. */
  readonly durationMs?: number
}

/** A place in the log where no event can be read. */
export interface UnreadableValue extends UnreadableFacts {
  readonly kind: "unreadable"
}

export type RowValue = MessageValue | EntryPromptValue | ToolValue | TurnResultValue | UnreadableValue
