export { accepted, ControlReceipt, ControlRejection, rejected } from "./control-receipt.ts"
export type { ModelChoice, Steer } from "./control-receipt.ts"
export { Diagnostics } from "./diagnostics.ts"
export type { SeamDiagnostic } from "./diagnostics.ts"
export type {
  AgentCallServer,
  CloseReport,
  Harness,
  PreparedHarness,
  PrepareOptions,
  TurnHandle,
  TurnRequest
} from "./harness.ts"
export { climbInterruptLadder } from "./interrupt-ladder.ts"
export type { InterruptSteps } from "./interrupt-ladder.ts"
export { ItemId, ItemIds } from "./item-id.ts"
export {
  HarnessAuthRequired,
  HarnessNotExecutable,
  HarnessNotFound,
  HarnessProbeFailed,
  HarnessTimedOut,
  HarnessVersionUnsupported,
  PrepareError
} from "./prepare-errors.ts"
export { startTurn } from "./produced-turn.ts"
export type { NativeControls, TurnPlan } from "./produced-turn.ts"
export { capabilityNames, makeHarnessProfile } from "./harness-profile.ts"
export type {
  Capability,
  CapabilityEvidence,
  CapabilityMode,
  CapabilityName,
  CapabilityState,
  HarnessProfile
} from "./harness-profile.ts"
export { redacted, safeText, Secrets } from "./safe-text.ts"
export { SeamMisuse } from "./seam-misuse.ts"
export { CallEnding, ChangedFile, FilePatch, PatchHunk, ReportedCount, SeamTool, ToolCallValue } from "./tool-call-value.ts"
export type { ReportedCall } from "./tool-call-value.ts"
export { ContextReport, SessionFacts, SteerDelivery, TurnDiffValue, TurnEvent } from "./turn-event.ts"
export type { TurnEventOf } from "./turn-event.ts"
export type {
  AdmissionAnswer,
  AgentCall,
  AgentCallReply,
  ClientExecution,
  ExecutionAnswer,
  ExecutionEnd,
  HarnessRequest,
  HostRefusal,
  ModelContext,
  OfferedTool,
  OutputSink,
  ProposalAnswer,
  ProposedBlock,
  ProposedCall,
  ProposedCallResult,
  ProposedMessage,
  RequestAnswer,
  RequestDecision,
  TurnAdmission,
  TurnHost
} from "./turn-host.ts"
export { TurnProducer } from "./turn-producer.ts"
export type { TurnProducerOptions } from "./turn-producer.ts"
export type { PlainReport, TurnReport } from "./turn-report.ts"
export {
  CheckpointReceipt,
  InterruptEvidence,
  SeamAvailability,
  TurnFailure,
  turnFailure,
  TurnFailureReason,
  TurnResult
} from "./turn-result.ts"
export { TurnSlot } from "./turn-slot.ts"
