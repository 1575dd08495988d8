/**
 * Builders of valid facts for tests of the ledger and of what stands on it.
 *
 * Owns: sample values. Each builder takes the ids that matter to a test.
 */
import {
  type ApprovalRequest,
  type Asset,
  AssetId,
  type CallBlock,
  CallId,
  ConversationId,
  type Instant,
  type InteractionResolution,
  OperationId,
  type ProcessIdentity,
  RunId,
  SteerId,
  type ToolCallResponse,
  type TurnAdmitted,
  TurnId,
  type TurnResultKind
} from "@steno/contracts"
import type { MessageProposal, NewCall } from "../calls.ts"
import type { OperationAdmission } from "../operations.ts"
import type { RunAdmission } from "../runs.ts"
import type { TurnEvent, TurnSettlement } from "../turns.ts"

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const idText = (prefix: string, number: number): string => {
  let digits = ""
  for (let rest = number; rest > 0; rest = Math.floor(rest / 32)) digits = crockford.charAt(rest % 32) + digits
  return `${prefix}_${digits.padStart(26, "0")}`
}

/** Ids that sort by their number. */
export const sampleId = {
  run: (number: number): RunId => RunId.make(idText("run", number)),
  conversation: (number: number): ConversationId => ConversationId.make(idText("conv", number)),
  turn: (number: number): TurnId => TurnId.make(idText("turn", number)),
  call: (number: number): CallId => CallId.make(idText("call", number)),
  asset: (number: number): AssetId => AssetId.make(idText("asset", number)),
  steer: (number: number): SteerId => SteerId.make(idText("steer", number)),
  operation: (number: number): OperationId => OperationId.make(`op-${number}`)
}

/** Instants that sort by their number of seconds. */
export const sampleInstant = (seconds: number): Instant =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

export const sampleOwner = (pid: number): ProcessIdentity => ({ bootId: "boot", pid, startTime: String(pid * 10) })

/** Run, Session, Turn and Operation with the same number. */
export const sampleAdmission = (number: number, input = "echo hello"): RunAdmission => ({
  operationId: sampleId.operation(number),
  input: { operation: "start", workspace: "/workspace", harness: "command", session: "main", input, kind: "once" },
  runId: sampleId.run(number),
  conversationId: sampleId.conversation(number),
  turnId: sampleId.turn(number),
  owner: sampleOwner(100),
  admitted: { input, origin: "user", harness: { id: "command" } },
  at: sampleInstant(number)
})

/** A cancel of the Run of `run`. */
export const sampleOperation = (number: number, run: number): OperationAdmission => ({
  operationId: sampleId.operation(number),
  input: { operation: "cancel", runId: sampleId.run(run) },
  at: sampleInstant(number + 20)
})

/** A running direct command with claim `claim`, in the Session and Turn of `number`. */
export const sampleCall = (number: number, call: number, changes: Partial<NewCall> = {}): NewCall => ({
  conversationId: sampleId.conversation(number),
  turnId: sampleId.turn(number),
  itemId: `item-${call}`,
  firstSeen: call,
  started: {
    callId: sampleId.call(call),
    origin: "user",
    tool: "bash",
    arguments: { command: "echo hello", cwd: "/workspace" }
  },
  state: "running",
  supervision: { decision: "allow", by: "user" },
  claim: "claim",
  at: sampleInstant(number + 1),
  ...changes
})

/** A text and then a call with arguments for each number of `calls`, in the Session and Turn of `number`. */
export const sampleProposal = (
  number: number,
  calls: ReadonlyArray<number>,
  changes: Partial<MessageProposal> = {}
): MessageProposal => ({
  conversationId: sampleId.conversation(number),
  turnId: sampleId.turn(number),
  itemId: "message-1",
  firstSeen: 0,
  message: {
    blocks: [
      { type: "text", itemId: "text-1", firstSeen: 0, content: "Let me look." },
      ...calls.map((call): CallBlock => ({
        type: "call",
        itemId: `item-${call}`,
        firstSeen: call,
        callId: sampleId.call(call),
        tool: "read",
        arguments: { path: `/file-${call}` }
      }))
    ],
    stopReason: "tool_use"
  },
  at: sampleInstant(number + 1),
  ...changes
})

export const sampleApproval: ApprovalRequest = {
  kind: "approval",
  reason: "Reads are asked about.",
  segments: [{ text: "read /file", decision: "approval", layer: "default", reason: "Reads are asked about." }],
  suggestedRules: [{ effect: "allow", tool: "read" }]
}

/** An approval under the Operation of `number`. */
export const sampleResolution = (
  number: number,
  changes: Partial<InteractionResolution> = {}
): InteractionResolution => ({
  id: sampleId.operation(number),
  value: { approval: { decision: "allow", reason: "Go on." } },
  by: "person",
  at: sampleInstant(number + 20),
  ...changes
})

/** A Steer in the Session and Turn of `number`. */
export const sampleSteer = (number: number, state: "waiting" | "delivered" | "dropped"): TurnEvent => ({
  conversationId: sampleId.conversation(number),
  turnId: sampleId.turn(number),
  item: { itemId: sampleId.steer(1), firstSeen: 9 },
  fact: {
    type: "steer",
    payload: {
      steerId: sampleId.steer(1),
      text: "Only the tests.",
      sentAt: sampleInstant(number),
      settlement: state === "waiting"
        ? { state }
        : state === "delivered"
        ? { state, delivery: "after-boundary" }
        : { state, cause: "loss" }
    }
  },
  at: sampleInstant(number + 2)
})

export const sampleAdmitted: TurnAdmitted = { input: "and then?", origin: "user", harness: { id: "hosted" } }

export const sampleResponse = (call: number, changes: Partial<ToolCallResponse> = {}): ToolCallResponse => ({
  callId: sampleId.call(call),
  tool: "bash",
  origin: "user",
  outcome: "completed",
  exitCode: 0,
  survivors: [],
  warnings: [],
  assetIds: [],
  ...changes
})

export const sampleAsset = (call: number, asset: number): Asset => ({
  assetId: sampleId.asset(asset),
  callId: sampleId.call(call),
  category: "output",
  path: `data/stdout-${asset}.txt`,
  digest: `sha256:${"0".repeat(64)}`,
  sizeBytes: 5,
  stream: "stdout",
  capture: { observedBytes: 5, storedBytes: 5, droppedBytes: 0, observedLines: 1, storedLines: 1 }
})

export const sampleSettlement = (
  number: number,
  result: TurnResultKind = "completed",
  changes: Partial<TurnSettlement> = {}
): TurnSettlement => ({
  conversationId: sampleId.conversation(number),
  turnId: sampleId.turn(number),
  settled: { result, availability: "open" },
  responses: [],
  at: sampleInstant(number + 10),
  ...changes
})
