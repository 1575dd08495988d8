export { commandFileName } from "./command-file.ts"
export { CouldNotStart, ProcessHostError } from "./process-host-errors.ts"
export { ProcessHost } from "./process-host.ts"
export type {
  CommandSpec,
  Ending,
  ProcessMarker,
  ProgramSpec,
  RunningCommand,
  RunningProgram,
  ShellExit
} from "./process-host.ts"
export type { ProgramLocation, ProgramSearch } from "./program-location.ts"
export { JsonLineReader } from "./json-line-reader.ts"
export type { JsonLine, JsonLineFault } from "./json-line-reader.ts"
export { LineReader } from "./line-reader.ts"
export type { ReadLine } from "./line-reader.ts"
