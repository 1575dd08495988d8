export { OutputReadings, type OutputReader, type OutputReading } from "./output-reading.ts"
export { outputFacts } from "./output-facts.ts"
export { processDiagnostics, processOutputReader, projectReading } from "./process-diagnostics.ts"
export type { DecisionRecord, ProcessFacts, Projection, Projector, ResultPolicy } from "./result-policy.ts"
