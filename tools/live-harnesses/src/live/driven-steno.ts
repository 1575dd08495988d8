/**
 * Steno's own program, started as a person starts it, in the folders of one scenario.
 *
 * Owns: the arguments of every command, reading its documents.
 * Limits: a command that lasts longer than two minutes is killed, and its scenario fails.
 */
import { RunDocument, type RunSnapshot, TranscriptDocument } from "@steno/contracts"
import { Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Scratch } from "../scratch.ts"

const program = fileURLToPath(new URL("../../../../apps/cli/bin/steno.js", import.meta.url))
const longestMs = 120_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

export interface DrivenSteno {
  readonly begin: (...args: ReadonlyArray<string>) => Started
  readonly run: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** The newest Run; throws where there is none. */
  readonly show: () => Promise<RunSnapshot>
  /** The whole conversation of the newest Run: `role: content`. */
  readonly transcript: () => Promise<ReadonlyArray<string>>
}

const decodeRun = Schema.decodeUnknownSync(RunDocument)
const decodeTranscript = Schema.decodeUnknownSync(TranscriptDocument)

const endOf = (child: ChildProcess): Promise<Ended> => {
  const texts = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => void (texts[stream] += text))
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), longestMs)
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, ...texts })
    })
  })
}

export const driveSteno = (scratch: Scratch, environment: Readonly<Record<string, string>>): DrivenSteno => {
  const begin: DrivenSteno["begin"] = (...args) => {
    const child = spawn(process.execPath, [program, "--home", join(scratch.home, "steno"), ...args], {
      cwd: scratch.workspace,
      env: { ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended: endOf(child) }
  }
  const run: DrivenSteno["run"] = (...args) => begin(...args).ended
  return {
    begin,
    run,
    show: async () => {
      const { stderr, stdout } = await run("run", "show", "@last", "--json")
      if (stdout === "") throw new Error(`run show printed nothing: ${stderr}`)
      const { result } = decodeRun(JSON.parse(stdout))
      if (!result.found) throw new Error(result.problem.explanation)
      return result.run
    },
    transcript: async () => {
      const { stdout } = await run("run", "read", "@last", "--transcript", "--json")
      const document = decodeTranscript(JSON.parse(stdout))
      if ("found" in document) throw new Error(document.problem.explanation)
      return document.export.entries.map(({ content, role }) => `${role}: ${content}`)
    }
  }
}
