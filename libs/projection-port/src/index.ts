export { PortProblem } from "./port-problem.ts"
export { ProjectionPort } from "./projection-port.ts"
export type { CallReadQuery, RunListQuery, RunReference, Submitted } from "./projection-port.ts"
