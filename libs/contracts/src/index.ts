export { Asset, CaptureFacts, CaptureFileFacts, CaptureStream, Digest, ImageReference } from "./asset/asset.schema.ts"
export {
  CallReason,
  CardPreview,
  CardProjection,
  DirectCommandStarted,
  OutsideCallStarted,
  ReportedFacts,
  RetainedOutput,
  startedInput,
  ToolCallResponse
} from "./call/call.events.ts"
export type { ToolCallStarted } from "./call/call.events.ts"
export {
  answersKind,
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalSegment,
  Interaction,
  InteractionAnswer,
  InteractionRequest,
  InteractionResolution,
  Question,
  QuestionAnswer,
  QuestionOption,
  RuleScope,
  UserInputAnswer,
  UserInputRequest
} from "./call/interaction.schema.ts"
export { CallOutput, CallOutputDocument, TruncatedLine } from "./call/call-output.schema.ts"
export { ProjectionDocument } from "./call/projection.schema.ts"
export { Quiet, QuietCall } from "./call/quiet-call.schema.ts"
export { AgentCallName, AgentCallReply, isAgentCall } from "./call/agent-call.schema.ts"
export { ToolName } from "./call/tool-name.schema.ts"
export { visibleCommand } from "./call/visible-command.ts"
export { callFolder } from "./call/call-folder.ts"
export {
  CallArguments,
  CallOrigin,
  CallOutcome,
  CallState,
  CommandArguments,
  ProcessIdentity,
  Supervision,
  suspendedOn,
  Survivor,
  UnfinishedCall
} from "./call/call.schema.ts"
export {
  couldHaveBeen,
  durableEvents,
  eventManifest,
  eventVersions,
  makeEventManifest,
  StoredEvent
} from "./event/event-manifest.ts"
export type { EventPayload, EventType, LoggedEvent } from "./event/event-manifest.ts"
export { unreadableFacts, UnreadableFacts, UnreadablePlace, UnreadableReason } from "./event/unreadable-event.schema.ts"
export type { UnreadableEvent } from "./event/unreadable-event.schema.ts"
export { HarnessCapability, HarnessCatalog, HarnessEntry, HarnessModels, HarnessQualification } from "./harness/harness.schema.ts"
export { IdMinter, makeIdMinter } from "./ids/id-minter.ts"
export type { IdMinterService } from "./ids/id-minter.ts"
export { AssetId, CallId, ConversationId, InputId, OperationId, RequestId, RunId, SteerId, TurnId } from "./ids/ids.schema.ts"
export type { IdByPrefix, IdPrefix } from "./ids/ids.schema.ts"
export { renderJsonSchemas } from "./json-schemas.ts"
export {
  agentCallReasonCharacters,
  captureLimits,
  cardLimits,
  commandTimeoutMs,
  harnessLimits,
  ledgerLimits,
  modelRequestLimits,
  pageLimits,
  processLimits,
  toolCallLimits,
  protocolLineLimits,
  quietLimits,
  reconcileAnswerMs,
  retainedOutputUnits,
  runListLimits,
  turnFailureUnits,
  unreadableTextUnits
} from "./limits/limits.ts"
export {
  AssistantMessage,
  CallBlock,
  callBlocks,
  MessageBlock,
  ProviderRetry,
  ReasoningSummaryBlock,
  Steer,
  SteerSettlement,
  TextBlock,
  TurnDiff,
  TurnDiffFile
} from "./message/message.events.ts"
export {
  AgentCall,
  AgentCallExpired,
  AssistantContent,
  EffectiveModel,
  ElicitationDeclined,
  RequestAnswered,
  RequestDecision,
  RequestExpired,
  RequestRaised,
  Thought
} from "./message/outside-agent.events.ts"
export {
  ActionOffer,
  AnswerInput,
  CancelInput,
  DeleteInput,
  EndInput,
  InterruptInput,
  OnlyAnswer,
  Operation,
  OperationDocument,
  OperationInput,
  OperationOutcome,
  ResumeInput,
  ReviewAnswer,
  SendInput,
  StartInput,
  SteerInput
} from "./operation/operation.schema.ts"
export {
  PolicyConfirmation,
  PolicyDocument,
  PolicyEffect,
  PolicyFile,
  PolicyLayerName,
  PolicyLayerState,
  PolicyLayerView,
  PolicyRule,
  PolicyTrust,
  ToolRisk
} from "./policy/policy.schema.ts"
export { FieldViolation, Problem, ProblemCode } from "./problem/problem.schema.ts"
export {
  PendingInteraction,
  RunAsyncBash,
  RunCall,
  RunCallOutput,
  RunDocument,
  RunKind,
  RunListDocument,
  RunListFilter,
  RunListRow,
  RunLiveness,
  RunSession,
  RunSnapshot,
  RunState,
  RunTurn,
  RunUnreadableEvent,
  TimelineEntry
} from "./run/run.schema.ts"
export {
  ModelScript,
  ScriptAnswer,
  ScriptBlock,
  ScriptError,
  ScriptExpectation,
  ScriptFault,
  ScriptPace,
  ScriptReply,
  ScriptStep,
  ScriptStop,
  ScriptUsage
} from "./script/script.schema.ts"
export { defaultSessionName, SessionAvailability, sessionNameCharacters } from "./session/session.schema.ts"
export { TurnAdmitted, TurnSettled } from "./turn/turn.events.ts"
export { HarnessName, TurnOrigin, TurnResultKind } from "./turn/turn.schema.ts"
export { ByteCount, Instant, LineCount, Milliseconds, Sequence } from "./units.ts"
export {
  ExportedCall,
  RunExport,
  TranscriptDocument,
  TranscriptEntry,
  TranscriptExport,
  TranscriptPage
} from "./transcript/transcript.schema.ts"
export { DoctorDocument, DoctorFinding, GcDocument } from "./home/home.schema.ts"
export { HomeConfig } from "./home/config.schema.ts"
