export { ClaudeCodeFinding, makeClaudeCodeHarness, probeClaudeCode } from "./claude-harness.ts"
export type { ClaudeCodeHarnessOptions } from "./claude-harness.ts"
export { qualify, recordedProfile } from "./qualification.ts"
export type { Qualification } from "./qualification.ts"
