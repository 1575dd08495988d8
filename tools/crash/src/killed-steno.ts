/**
 * Starts Steno on a home so that it dies as by `kill -9`, and Steno again to look at what is left.
 *
 * Owns: the killed program, its processes.
 */
import { RunDocument, RunListDocument } from "@steno/contracts"
import { Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { bundleProgram } from "./bundled-program.ts"

const folder = fileURLToPath(new URL("../", import.meta.url))
const program = `${folder}dist/steno-with-failpoint.js`

/** A hundred kills need a program that starts fast. */
export const bundleKilledSteno = () =>
  bundleProgram(folder, { entry: "src/steno-with-failpoint.ts", outfile: "dist/steno-with-failpoint.js" })

const decodeRun = Schema.decodeUnknownSync(RunDocument)
const decodeList = Schema.decodeUnknownSync(RunListDocument)

/** Where a process dies: the n-th time a write reaches a point; `never` is no point. */
export interface Death {
  readonly point: string
  readonly nth: number
}
export const never: Death = { point: "never", nth: 1 }

/** Where its Runs work: beside the home, into which no command may write. */
export const workspaceOf = (home: string): string => join(dirname(home), "work")

const argv = (home: string, death: Death, args: ReadonlyArray<string>) => [
  program,
  death.point,
  String(death.nth),
  "--home",
  home,
  ...args
]

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs Steno to its end or death. */
export const runSteno = (home: string, death: Death, args: ReadonlyArray<string>): Ended => {
  const result = spawnSync(process.execPath, argv(home, death, args), { encoding: "utf8", cwd: workspaceOf(home), timeout: 30_000 })
  return { code: result.status, signal: result.signal, stdout: result.stdout, stderr: result.stderr }
}

/** Text of every captured file of this name in a home. */
const capturedText = (home: string, name: string): string => {
  const data = join(home, "data")
  if (!existsSync(data)) return ""
  return readdirSync(data, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(name))
    .map((path) => readFileSync(join(data, path), "utf8"))
    .join("")
}

/** Starts Steno, waits until the command made `receipt` and its two lines are in the capture files, then kills it. */
export const killWhileRunning = async (home: string, args: ReadonlyArray<string>, receipt: string): Promise<void> => {
  const child = spawn(process.execPath, argv(home, never, args), { cwd: workspaceOf(home), stdio: "ignore" })
  const exited = new Promise<void>((resolve) => child.on("exit", () => resolve()))
  const isCaptured = () => existsSync(receipt) && capturedText(home, "stdout.txt") !== "" && capturedText(home, "stderr.txt") !== ""
  while (!isCaptured() && child.exitCode === null) await setTimeout(5)
  child.kill("SIGKILL")
  await exited
}

export const showLast = (home: string) => {
  const shown = runSteno(home, never, ["run", "show", "@last", "--json"])
  const document = decodeRun(JSON.parse(shown.stdout))
  return document.result.found ? document.result.run : undefined
}

export const listAll = (home: string) =>
  decodeList(JSON.parse(runSteno(home, never, ["run", "list", "--all", "--json"]).stdout)).rows

/** What the last Run's first call printed on a stream, as the record has it. */
export const readStream = (home: string, stream: "stdout" | "stderr"): string =>
  runSteno(home, never, ["run", "read", "@last", "--call", "1", "--stream", stream, "--raw"]).stdout
