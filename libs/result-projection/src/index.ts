export { processDiagnostics } from "./process-diagnostics.ts"
export type { DecisionRecord, ProcessFacts, Projection, Projector, ResultPolicy } from "./result-policy.ts"
