/**
 * What `bash` asks of the host that runs commands.
 *
 * Owns: the way from arguments to a command start. Never owns: the process.
 */
import { Effect } from "effect"
import { notFound, resolvePath } from "./resolved-path.ts"
import type { BashArguments } from "./tool-entry.ts"
import { faultOf, type ToolFault, WrongKind } from "./tool-faults.ts"

export interface HostCommand {
  readonly command: string
  /** Absolute, existing folder without links. */
  readonly cwd: string
  /** Set for this command, over the environment of commands. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** `args` fit their schema. Fails when the folder does not exist. */
export const hostCommand = Effect.fnUntraced(function*(
  { command, cwd: folder, env, timeoutSeconds }: BashArguments,
  cwd: string
): Effect.fn.Return<HostCommand, ToolFault> {
  const path = yield* resolvePath(folder ?? ".", cwd)
  if (path.kind === undefined) return yield* notFound(path, cwd)
  if (path.kind !== "directory") {
    return yield* faultOf(new WrongKind({ path: path.given, found: "no folder", advice: "a command runs in a folder" }))
  }
  return {
    command,
    cwd: path.real,
    ...(env === undefined ? {} : { env }),
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1_000 })
  }
})
