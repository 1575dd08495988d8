/** Starts a `store-process` and waits for what it says. */
import { type ChildProcess, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { StoreTask } from "./store-process.ts"

const program = fileURLToPath(new URL("./store-process.ts", import.meta.url))

export interface SpawnedStore {
  readonly child: ChildProcess
  /** The first line it prints. */
  readonly spoke: Promise<string>
  /** All it printed, at its end. */
  readonly ended: Promise<string>
}

export const spawnStore = (
  task: StoreTask,
  options: { readonly under?: ReadonlyArray<string>; readonly uid?: number } = {}
): SpawnedStore => {
  const [command = process.execPath, ...rest] = [...options.under ?? [], process.execPath, program, JSON.stringify(task)]
  const child = spawn(command, rest, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), `steno-asset-store-compile-cache-${options.uid ?? "own"}`) },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid })
  })
  const spoke = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<string>()
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
    const end = printed.indexOf("\n")
    if (end >= 0) spoke.resolve(printed.slice(0, end))
  })
  child.once("close", () => {
    spoke.resolve(printed)
    ended.resolve(printed)
  })
  return { child, spoke: spoke.promise, ended: ended.promise }
}
