export { applicationPortLayer } from "./application-port.ts"
export { HomeFolder } from "./home-folder.ts"
export { defectsToProblem, makeProblem, toPortProblem } from "./problems.ts"
export type { CoreError } from "./problems.ts"
