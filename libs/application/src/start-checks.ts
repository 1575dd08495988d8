/**
 * Checks the input of `start` before anything happens.
 *
 * Owns: the refusals `input-blank`, `limit-invalid`, `workspace-not-found`.
 */
import { commandTimeoutMs, type StartInput } from "@steno/contracts"
import { Effect, FileSystem } from "effect"
import { makeProblem } from "./problems.ts"

/** The real path of a workspace; one that is not there any more stays as it was named. */
const realWorkspace = Effect.fnUntraced(function*(path: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return yield* fileSystem.realPath(path).pipe(Effect.orElseSucceed(() => path))
})

/** Fails with `workspace-not-found`. */
export const checkWorkspace = Effect.fnUntraced(function*(path: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const missing = makeProblem(
    "workspace-not-found",
    `The workspace ${path} is not an existing folder.`,
    "Name an existing folder with --workspace, or run the command inside one.",
    { details: { workspace: path } }
  )
  const info = yield* fileSystem.stat(path).pipe(Effect.mapError(() => missing))
  if (info.type !== "Directory") return yield* missing
})

/** Answers with the canonical input: the workspace's real path. */
export const checkStart = Effect.fnUntraced(function*(input: StartInput) {
  if (input.input.trim() === "") {
    return yield* makeProblem("input-blank", "The input is empty.", "Give a command after `--`, or `-` to read it from stdin.")
  }
  const { maximum, minimum } = commandTimeoutMs
  const { timeoutMs } = input
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= minimum && timeoutMs <= maximum)) {
    return yield* makeProblem(
      "limit-invalid",
      `timeoutMs must be a whole number from ${minimum} to ${maximum}; it was ${timeoutMs}.`,
      "Repeat the command with a value in this range.",
      { fieldViolations: [{ field: "timeoutMs", explanation: `${timeoutMs} is out of range` }] }
    )
  }
  return { ...input, workspace: yield* realWorkspace(input.workspace) }
})
