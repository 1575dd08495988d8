/**
 * What a call would touch, for whoever judges it.
 *
 * Owns: which resolved paths a call reads or writes, and the command it would run.
 * Never owns: the judgement (permission-policy), what a command itself touches.
 */
import { Effect } from "effect"
import type { CheckedCall } from "./checked-call.ts"
import { resolvePath } from "./resolved-path.ts"
import type { ToolFault } from "./tool-faults.ts"

export interface PathSubject {
  /** Absolute, without links; nothing needs to stand there yet. */
  readonly path: string
  readonly access: "read" | "write"
}

export interface ToolSubjects {
  readonly paths: ReadonlyArray<PathSubject>
  /** Shell text, and the folder it would run in. */
  readonly command?: { readonly text: string; readonly cwd: string }
}

const onePath = (given: string, cwd: string, access: PathSubject["access"]) =>
  Effect.map(resolvePath(given, cwd), ({ real }): ToolSubjects => ({ paths: [{ path: real, access }] }))

/** `cwd`: the Session's folder, absolute. Touches nothing; fails when the way to a path cannot be looked at. */
export const subjectsOf = (call: CheckedCall, cwd: string): Effect.Effect<ToolSubjects, ToolFault> => {
  switch (call.tool) {
    case "read":
      return onePath(call.arguments.path, cwd, "read")
    case "grep":
    case "find":
    case "ls":
      return onePath(call.arguments.path ?? ".", cwd, "read")
    case "write":
      return onePath(call.arguments.path, cwd, "write")
    case "edit":
      return onePath(call.arguments.path, cwd, call.arguments.dryRun === true ? "read" : "write")
    case "bash": {
      const { command, cwd: folder } = call.arguments
      return Effect.map(resolvePath(folder ?? ".", cwd), ({ real }) => ({ paths: [], command: { text: command, cwd: real } }))
    }
    case "ask_user":
    case "run_done":
    case "run_failed":
      return Effect.succeed({ paths: [] })
  }
}
