/**
 * Starts Steno on a home with a fault in it, and Steno without one to look at what is left.
 *
 * Owns: the faulty program, its processes, the hard limit of time.
 */
import { bundleProgram } from "@steno/tool-crash/bundled-program"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Fault, type FaultPlan, planVariable, type TracedPoint } from "./fault-plan.ts"

const folder = fileURLToPath(new URL("../", import.meta.url))
const program = join(folder, "dist", "steno-under-faults.js")
const preload = join(folder, "src", "file-faults.ts")

export const bundleFaultySteno = () =>
  bundleProgram(folder, { entry: "src/steno-under-faults.ts", outfile: program, left: ["../src/file-faults.ts"] })

/** A command of some milliseconds, and every wait that a fault may cause: 2 × 5 s of repeated settlement. */
const hardLimitMs = 25_000

export interface Ended {
  readonly code: number | null
  /** SIGKILL: it did not end within the limit. */
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly trace: ReadonlyArray<TracedPoint>
}

const readTrace = (path: string): ReadonlyArray<TracedPoint> =>
  readFileSync(path, "utf8").split("\n").filter((line) => line !== "").map((line): TracedPoint => JSON.parse(line))

/** `root` holds the home and, outside it, the trace of this process. */
export const runSteno = async (
  root: string,
  fault: Fault | undefined,
  args: ReadonlyArray<string>
): Promise<Ended> => {
  const plan: FaultPlan = { home: join(root, "home"), trace: join(root, "trace"), fault }
  const child = spawn(process.execPath, ["--import", preload, program, "--home", plan.home, ...args], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "dist", "compiled"), [planVariable]: JSON.stringify(plan) },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: hardLimitMs,
    killSignal: "SIGKILL"
  })
  const texts = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => texts.stdout += text)
  child.stderr.setEncoding("utf8").on("data", (text: string) => texts.stderr += text)
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...ended) => resolve(ended)))
  return { code, signal, ...texts, trace: readTrace(plan.trace) }
}
