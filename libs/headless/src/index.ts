export { AdmittedRun, HeadlessInput, HeadlessOutput } from "./headless-ports.ts"
export { problemText } from "./problem-text.ts"
export { answerForArguments, runArguments } from "./run-arguments.ts"
export { runCommand } from "./run-command.ts"
