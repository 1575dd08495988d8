/** Starts a `ledger-child` and waits for what it says. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { bundledChild } from "./bundled-child.ts"

export type ChildTask = { readonly file: string } & (
  | { readonly do: "settle-calls"; readonly first: number; readonly count: number }
  | { readonly do: "race-settlements"; readonly epoch: number; readonly count: number }
  | { readonly do: "start-runs"; readonly first: number; readonly count: number }
  | { readonly do: "end-at"; readonly point: string }
  | { readonly do: "hold-lock" }
  | { readonly do: "repair-until"; readonly point: string }
  | { readonly do: "use-as-nobody"; readonly access: "write" | "read" }
)

export interface ChildEnd {
  readonly signal: string | null
  readonly exitCode: number | null
  readonly stderr: string
  /** The JSON line it said, if any. */
  readonly said: unknown
}

const start = (task: ChildTask) => {
  const child = spawn(process.execPath, [bundledChild, JSON.stringify(task)], { stdio: "pipe" })
  let stdout = ""
  let stderr = ""
  const ended = new Promise<ChildEnd>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text) => stderr += text)
    child.on("close", (exitCode, signal) => {
      resolve({ exitCode, signal, stderr, said: stdout === "" ? undefined : JSON.parse(stdout) })
    })
  })
  const spoke = new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text
      resolve()
    })
  })
  return { child, ended, spoke }
}

/** Runs a task to its end. */
export const runChild = (task: ChildTask): Effect.Effect<ChildEnd> => Effect.promise(() => start(task).ended)

/** A process that holds the write lock when this resolves, until `release` or the end of the scope. */
export const lockHolder = (
  file: string
): Effect.Effect<{ readonly pid: number | undefined; readonly release: Effect.Effect<ChildEnd> }, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const started = start({ do: "hold-lock", file })
      await started.spoke
      return started
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(Effect.map(({ child, ended }) => ({
    pid: child.pid,
    release: Effect.promise(() => {
      child.stdin.write("release\n")
      return ended
    })
  })))
