export type { Block, Candidate, Continuation, Count, Item, Overflow } from "./candidate.ts"
export { type CommandFacts, commandPolicy, projectCommand } from "./command-policy.ts"
export { checkFileClaims, type CheckedClaims, FileClaim, type FoundFile, type RegisteredFile } from "./file-claims.ts"
export { outputFacts, type OutputFile } from "./output-facts.ts"
export type { OutputReader, OutputReading } from "./output-reading.ts"
export { type OutputBytes, OutputReadings, type OutputToRead, readOutput } from "./output-readings.ts"
export { isOutputTool, type OutputTool, outputTools } from "./output-tools.ts"
export { processDiagnostics, processOutputReader, projectReading } from "./process-diagnostics.ts"
export {
  type AsyncNoticeFacts,
  asyncNoticeText,
  type LaunchExitFacts,
  launchExitText,
  type PromotionFacts,
  promotionText
} from "./process-texts.ts"
export { type Budget, type Profile, type ProfileName, profiles } from "./profiles.ts"
export { projectionDocument } from "./projection-document.ts"
export { projectValue, type ValueCall } from "./project-value.ts"
export { type ImageLookup, type RequestPart, requestParts } from "./request-images.ts"
export type { DecisionRecord, ProcessFacts, ProcessFrame, Projection, Projector, ResultPolicy } from "./result-policy.ts"
export type { Denial, EndFacts } from "./strategy-terminal-outcome.ts"
export { toolPolicies } from "./tool-policies.ts"
export type { CatalogEntry, OutputPolicy, ToolPolicy, ValuePolicy } from "./tool-policy.ts"
export type {
  AgentArguments,
  AgentControlArguments,
  AgentControlResult,
  AskUserArguments,
  AskUserResult,
  AsyncBashArguments,
  EditArguments,
  ExploreArguments,
  ExploreResult,
  FindArguments,
  GrepArguments,
  GrepMatch,
  GrepResult,
  LifecycleEntry,
  LifecycleResult,
  ListedPath,
  ListingResult,
  LogPage,
  LsArguments,
  MutationResult,
  ReadArguments,
  ReadResult,
  Readiness,
  ToolValues,
  ValueTool,
  WriteArguments
} from "./tool-results.ts"
