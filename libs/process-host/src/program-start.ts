/**
 * Starts one program that is spoken to over its standard streams, in a session of its own.
 *
 * Owns: what is checked before, its environment, collecting its status.
 * Never owns: what is said (the adapter), commands of a shell (command-start).
 * Ordering: when it does not start, nothing of it is left.
 */
import type { ProcessIdentity } from "@steno/contracts"
import { Deferred, Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { isAbsolute } from "node:path"
import type { Readable, Writable } from "node:stream"
import { programEnvironment } from "./command-environment.ts"
import { codeOf } from "./command-file.ts"
import { folderFault } from "./command-start.ts"
import { CouldNotStart } from "./process-host-errors.ts"
import type { ProgramSpec, ShellExit } from "./process-host.ts"
import { identityOfEntry } from "./process-liveness.ts"
import { type ProcessEntry, readProcess } from "./process-table.ts"
import { exitOf } from "./shell-exit.ts"

export interface StartedProgram {
  readonly pid: number
  readonly entry: ProcessEntry | undefined
  readonly identity: ProcessIdentity | undefined
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Deferred.Deferred<ShellExit>
}

const refuse = (path: string, code: string, explanation: string): CouldNotStart =>
  new CouldNotStart({ path, code, explanation })

const specFault = ({ cwd, path }: ProgramSpec): CouldNotStart | undefined => {
  const relative = [path, cwd].find((given) => !isAbsolute(given))
  return relative === undefined ? folderFault(cwd) : refuse(relative, "EINVAL", `${relative} is not an absolute path.`)
}

const startFault = (path: string, cause: unknown): CouldNotStart =>
  refuse(path, codeOf(cause), `The program ${path} could not be started: ${codeOf(cause)}.`)

/** Answers once: the running program, or why it did not start. */
export const startProgram = (spec: ProgramSpec, answer: (outcome: StartedProgram | CouldNotStart) => void): void => {
  const fault = specFault(spec)
  if (fault !== undefined) return answer(fault)
  const fail = (cause: unknown) => answer(folderFault(spec.cwd) ?? startFault(spec.path, cause))
  let child: ChildProcess
  try {
    child = spawn(spec.path, [...spec.arguments], {
      cwd: spec.cwd,
      env: programEnvironment(spec.environment, spec),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"]
    })
  } catch (cause) {
    return fail(cause)
  }
  const { pid, stderr, stdin, stdout } = child
  if (pid === undefined) {
    child.once("error", fail)
    return
  }
  child.on("error", () => undefined)
  if (stdin === null || stdout === null || stderr === null) return fail(new Error("no pipes"))
  const entry = readProcess(pid)
  const exited = Deferred.makeUnsafe<ShellExit>()
  child.once("exit", (code, signal) => {
    Deferred.doneUnsafe(exited, Effect.succeed(exitOf(code, signal, 0)))
  })
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => undefined)
  answer({ pid, entry, identity: entry === undefined ? undefined : identityOfEntry(entry), stdin, stdout, stderr, exited })
}
