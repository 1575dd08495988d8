/**
 * Starts one shell command in a session of its own.
 *
 * Owns: what is checked before, the descriptors handed over, collecting the shell's status.
 * Ordering: `command.sh` is written, then the shell starts; when it does not start, nothing of it is left.
 */
import type { ProcessIdentity } from "@steno/contracts"
import { Deferred, Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { Socket } from "node:net"

import { isAbsolute } from "node:path"
import type { Readable } from "node:stream"
import { commandEnvironment, personsPath } from "./command-environment.ts"
import { codeOf, type CommandFile, findShell, writeCommandFile } from "./command-file.ts"
import { closeFd, type PipePair } from "./pipe-pool.ts"
import { CouldNotStart } from "./process-host-errors.ts"
import type { CommandSpec, ShellExit } from "./process-host.ts"
import { exitOf } from "./shell-exit.ts"
import { identityOfEntry } from "./process-liveness.ts"
import { type ProcessEntry, readProcess } from "./process-table.ts"

export interface StartedShell {
  readonly pid: number
  readonly entry: ProcessEntry | undefined
  readonly identity: ProcessIdentity | undefined
  readonly file: CommandFile
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Deferred.Deferred<ShellExit>
}

const refuse = (path: string, code: string, explanation: string): CouldNotStart =>
  new CouldNotStart({ path, code, explanation })

export const folderFault = (path: string): CouldNotStart | undefined => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return refuse(path, "ENOENT", `The folder ${path} does not exist.`)
    if (!found.isDirectory()) return refuse(path, "ENOTDIR", `${path} is not a folder.`)
    accessSync(path, constants.X_OK)
    return undefined
  } catch (cause) {
    return refuse(path, codeOf(cause), `The folder ${path} cannot be entered: ${codeOf(cause)}.`)
  }
}

/** What can be refused without starting anything. */
export const specFault = (spec: CommandSpec): CouldNotStart | undefined => {
  if (spec.command.trim() === "") return refuse(spec.cwd, "EINVAL", "The command is empty.")
  if (spec.command.includes("\0")) {
    return refuse(spec.cwd, "EINVAL", "The command holds a NUL character, which no shell can read.")
  }
  if (!isAbsolute(spec.cwd)) return refuse(spec.cwd, "EINVAL", `The folder ${spec.cwd} is not an absolute path.`)
  return folderFault(spec.cwd)
}

const shellFault = (shell: string, cause: unknown): CouldNotStart =>
  refuse(shell, codeOf(cause), `The shell ${shell} could not be started: ${codeOf(cause)}.`)

const reader = (pair: PipePair, onEnd: (readFd: number) => void): Readable => {
  closeFd(pair.writeFd)
  const socket = new Socket({ fd: pair.readFd, readable: true, writable: false })
  socket.once("end", () => onEnd(pair.readFd))
  return socket
}

const peekMs = 15

/**
 * The status of a dying shell before Node collects it. Both pipes end a moment before the process does: while it is on
 * its way out it is looked at again, which takes some microseconds, and never longer than 15 ms.
 */
const peekStatus = (pid: number): number => {
  const until = performance.now() + peekMs
  for (;;) {
    const entry = readProcess(pid)
    if (entry === undefined) return 0
    if (entry.state === "Z") return entry.waitStatus
    if (!entry.isExiting || performance.now() > until) return 0
  }
}

/** Answers once: the running shell, or why it did not start. The pipes are used or closed; `onEnd` is told the read end of one that ended. */
export const startShell = (
  spec: CommandSpec,
  pipes: readonly [PipePair, PipePair] | undefined,
  onEnd: (readFd: number) => void,
  answer: (outcome: StartedShell | CouldNotStart) => void
): void => {
  const closePipes = () => pipes?.forEach((pair) => [pair.readFd, pair.writeFd].forEach(closeFd))
  const environment = commandEnvironment(spec.environment, spec)
  const shell = findShell(personsPath(spec.environment))
  let file: CommandFile
  try {
    file = writeCommandFile(spec.directory, spec.command)
  } catch (cause) {
    closePipes()
    return answer(refuse(spec.directory, codeOf(cause), `The command could not be written to ${spec.directory}: ${codeOf(cause)}.`))
  }
  const fail = (cause: unknown) => {
    closePipes()
    file.remove()
    answer(folderFault(spec.cwd) ?? shellFault(shell.path, cause))
  }
  let child: ChildProcess
  try {
    child = spawn(shell.path, [...shell.arguments, file.path], {
      cwd: spec.cwd,
      env: environment,
      detached: true,
      stdio: ["ignore", pipes?.[0].writeFd ?? "pipe", pipes?.[1].writeFd ?? "pipe"]
    })
  } catch (cause) {
    return fail(cause)
  }
  const { pid } = child
  if (pid === undefined) {
    child.once("error", fail)
    return
  }
  child.on("error", () => undefined)
  const stdout = pipes === undefined ? child.stdout : reader(pipes[0], onEnd)
  const stderr = pipes === undefined ? child.stderr : reader(pipes[1], onEnd)
  if (stdout === null || stderr === null) return fail(new Error("no pipes"))
  const entry = readProcess(pid)
  const exited = Deferred.makeUnsafe<ShellExit>()
  let waitStatus = 0
  let openStreams = 2
  const onStreamEnd = () => {
    openStreams -= 1
    if (openStreams === 0 && !Deferred.isDoneUnsafe(exited)) waitStatus = peekStatus(pid)
  }
  stdout.once("end", onStreamEnd)
  stderr.once("end", onStreamEnd)
  child.once("exit", (code, signal) => {
    Deferred.doneUnsafe(exited, Effect.succeed(exitOf(code, signal, waitStatus)))
  })
  answer({ pid, entry, identity: entry === undefined ? undefined : identityOfEntry(entry), file, stdout, stderr, exited })
}
