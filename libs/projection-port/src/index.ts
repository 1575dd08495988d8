export { PortProblem } from "./port-problem.ts"
export { ProjectionPort } from "./projection-port.ts"
export type { CallReadQuery, HarnessCheckQuery, RunListQuery, RunReference, SessionReference, Submitted, TranscriptQuery } from "./projection-port.ts"
