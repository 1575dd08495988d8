export { commandFileName } from "./command-file.ts"
export { CouldNotStart, ProcessHostError } from "./process-host-errors.ts"
export { ProcessHost } from "./process-host.ts"
export type { CommandSpec, Ending, ProcessMarker, RunningCommand, ShellExit } from "./process-host.ts"
