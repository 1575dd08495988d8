export { carryOver, decideAbandoned, decideEnd, IllegalChange } from "./call-rules.ts"
export type { CallPosition, DecidedEnd } from "./call-rules.ts"
export { type CallHandler, CallHandlers, type HandlerAnswer } from "./call-handlers.ts"
export type {
  AbandonedCall,
  AdmittedCall,
  AdmittedStep,
  AdoptedTurn,
  AnswerOutcome,
  ApprovalMode,
  CallAnswer,
  CallLimits,
  CallTurn,
  ClientCall,
  DirectCommand,
  ExecutedCall,
  MessageToPropose,
  ObservedEnd,
  ObservedStart,
  OpenCallResponse
} from "./call-requests.ts"
export { CallSpace, SpaceNotMeasured, StorageLow } from "./call-space.ts"
export { type CallJudgement, CallSupervision, type CheckedCall, PolicyUnusable, RulesNotKept } from "./call-supervision.ts"
export { ClaimRandom } from "./claim.ts"
export { HostTools, ToolDidNotStart } from "./host-tools.ts"
export type { AbandonedTool, EnteredCall, HostCall, InProcessEnd, ProcessEnd, RunningTool, ToolEnd, ToolFiles } from "./host-tools.ts"
export { outputAssets } from "./output-assets.ts"
export { type EndedCall, type EndedResult, type PreparedResult, ResultNotPrepared, ResultPreparation } from "./result-preparation.ts"
export { CallNotAdmitted, CallNotJudged, CallNotSettled, CallReleased, ToolCallError } from "./tool-call-errors.ts"
export { ToolCallService } from "./tool-call-service.ts"
