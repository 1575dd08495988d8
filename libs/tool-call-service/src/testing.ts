/** For tests of what stands on tool-call-service: plain ports, and ports whose answers the test decides. */
export { askedRule, type CallScript, ControlledPorts, question, resultEnd, type ToolRun } from "./testing/controlled-ports.ts"
export { type ControlledTool, makeControlledTool } from "./testing/controlled-tool.ts"
export { allowingSupervision, ampleSpace, emptyFiles, noHandlers, plainPreparation } from "./testing/plain-ports.ts"
