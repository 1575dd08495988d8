/** Runs the real program in a process of its own, on a temporary home and workspace. */
import { RunDocument } from "@steno/contracts"
import { Schema } from "effect"
import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from "node:child_process"
import { existsSync, mkdtempSync, realpathSync, rmSync, watch } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach } from "vitest"
import { packedProgram } from "./testing/packed-program.ts"

/** The program from source, as `npx steno` runs it in a clone. */
export const sourceBin = fileURLToPath(new URL("../bin/steno.js", import.meta.url))
/** The program as it is published. */
export const packedBin = join(packedProgram, "bin", "steno.js")
export const workspaceRoot = fileURLToPath(new URL("../../../", import.meta.url))

const folders: Array<string> = []
const children: Array<ChildProcess> = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

export const temporaryFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "steno-cli-")))
  folders.push(folder)
  return folder
}

/** The variables of a plain shell: nothing that npm, npx or Nx added around the test. */
export const plainEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const kept = Object.entries(process.env).filter(([name, value]) =>
    value !== undefined && !/^(npm_|NX_|INIT_CWD$|NODE$|FORCE_COLOR$|VITEST|NODE_ENV$|TEST$|DEV$|PROD$|MODE$|BASE_URL$)/.test(name)
  )
  const variables = Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""]))
  const path = (variables["PATH"] ?? "").split(":").filter((entry) => !entry.includes("node_modules"))
  return { ...variables, PATH: path.join(":"), ...more }
}

export interface Place {
  readonly home: string
  readonly workspace: string
}
export const makePlace = (): Place => ({ home: join(temporaryFolder(), "home"), workspace: temporaryFolder() })

export const steno = (
  place: Place,
  args: ReadonlyArray<string>,
  input?: string
): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [packedBin, ...args], {
    cwd: place.workspace,
    env: plainEnvironment({ STENO_HOME: place.home }),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input })
  })

/** The same in a shell pipeline: `steno` is a function there. */
export const shell = (place: Place, script: string): SpawnSyncReturns<string> =>
  spawnSync("bash", ["-c", `steno() { "${process.execPath}" "${packedBin}" "$@"; }\n${script}`], {
    cwd: place.workspace,
    env: plainEnvironment({ STENO_HOME: place.home }),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })

const decodeRun = Schema.decodeUnknownSync(RunDocument)

export const runOf = (stdout: string) => {
  const document = decodeRun(JSON.parse(stdout))
  if (!document.result.found) throw new Error(document.result.problem.explanation)
  return document.result.run
}

export interface RunningSteno {
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stdout: string }>
}

/** Starts the program and resolves once something made the file `ready` in its workspace. */
export const runUntilReady = async (place: Place, args: ReadonlyArray<string>): Promise<RunningSteno> => {
  const child = spawn(process.execPath, [packedBin, ...args], {
    cwd: place.workspace,
    env: plainEnvironment({ STENO_HOME: place.home }),
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.push(child)
  let stdout = ""
  child.stdout.on("data", (block: Buffer) => (stdout += block.toString()))
  const ended: RunningSteno["ended"] = new Promise((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, stdout })))
  await fileAppears(place.workspace, "ready")
  return { kill: (signal) => void child.kill(signal), ended }
}

/** Starts `run start --json` and resolves once the command made the file `ready`. */
export const startUntilReady = (place: Place, command: string): Promise<RunningSteno> =>
  runUntilReady(place, ["run", "start", "--harness", "command", "--json", "--", command])

/** Resolves when a file of this name exists in the folder. */
export const fileAppears = (folder: string, name: string) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!existsSync(join(folder, name))) return
      watcher.close()
      resolve()
    }
    const watcher = watch(folder, look)
    look()
  })

/** A command line in a mount namespace of its own, so that a test may mount file systems. */
export const withMounts = (place: Place, script: string): SpawnSyncReturns<string> => {
  const unshare = process.getuid?.() === 0 ? ["-m"] : ["-r", "-m"]
  return spawnSync("unshare", [...unshare, "bash", "-c", `set -e\nsteno() { "${process.execPath}" "${packedBin}" "$@"; }\n${script}`], {
    cwd: place.workspace,
    env: plainEnvironment({ STENO_HOME: place.home }),
    encoding: "utf8"
  })
}
