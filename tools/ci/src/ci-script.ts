/**
 * Runs one of the scripts in .ci in a folder of its own, as a fresh machine would.
 *
 * Owns: the environment and the captured output of such a run.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export const workspaceRoot = fileURLToPath(new URL("../../..", import.meta.url))

/** Nothing of the Nx, npm or git that runs this suite. */
const freshEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NX_|npm_|GIT_|INIT_CWD$|VITEST|NODE_OPTIONS$|FORCE_COLOR$|BASE$|CI$)/.test(name))
)

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const runIn = (folder: string, program: string, words: ReadonlyArray<string>, environment = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd: folder, env: { ...freshEnvironment, ...environment }, stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, ...output }))
  })

/** Like `runIn`, for steps that have to succeed. */
export const must = async (folder: string, program: string, ...words: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await runIn(folder, program, words)
  if (code !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${code}\n${stdout}\n${stderr}`)
  return stdout
}
