/**
 * Commands of an agent that last, and whether their processes are there.
 *
 * Owns: what such a command does, reading `/proc`, ending what is left.
 * Limits: Linux; a command in a pid namespace of its own tells a pid that means nothing here.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { RecordedProcess } from "./recorded-process.ts"
import type { Stage } from "./scenario.ts"

/** Resolves when the command has written the file. */
export const fileWritten = async ({ scratch }: Stage, name: string): Promise<string> => {
  const path = join(scratch.workspace, name)
  for (let tries = 0; tries < 600; tries += 1) {
    if (existsSync(path) && readFileSync(path, "utf8") !== "") return readFileSync(path, "utf8")
    await pause(50)
  }
  throw new Error(`no ${name} within 30 s`)
}

/** A command that tells its shell's pid, says something, and lasts. */
export const lastingCommand = (seconds: number): string => `echo $$ > pid.txt; echo begun; sleep ${seconds}; echo over > over.txt`

interface ProcessRow {
  readonly state: string
  readonly group: number
}

/** From `/proc`; undefined where there is no such process. */
const processRow = (pid: number): ProcessRow | undefined => {
  try {
    const [state = "", , group = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")
    return { state, group: Number(group) }
  } catch {
    return undefined
  }
}

/** A zombie does not live. */
const lives = (pid: number): boolean => (processRow(pid)?.state ?? "Z") !== "Z"

const groupLives = (group: number): boolean =>
  readdirSync("/proc").some((name) => {
    const row = /^\d+$/.test(name) ? processRow(Number(name)) : undefined
    return row !== undefined && row.group === group && row.state !== "Z"
  })

/** Whether the shell of `lastingCommand` is there after so long. */
export const observeCommandLives = async (stage: Stage, name: string, afterMs: number): Promise<void> => {
  const pid = Number(await fileWritten(stage, "pid.txt"))
  await pause(afterMs)
  stage.observe(name, lives(pid))
}

/** Kills the program, alone or with its group, and looks a second later at what is left; then ends that too. */
export const observeKill = async (stage: Stage, program: RecordedProcess, what: "alone" | "group"): Promise<void> => {
  await fileWritten(stage, "pid.txt")
  if (what === "alone") program.killAlone()
  else program.kill("SIGKILL")
  await observeCommandLives(stage, "commandLives1sAfterKill", 1000)
  stage.observe("groupOfProgramLives1sAfterKill", groupLives(program.pid))
  program.kill("SIGKILL")
  await endLastingCommand(stage)
}

/** Ends the shell of `lastingCommand`, where it lives on. */
export const endLastingCommand = async (stage: Stage): Promise<void> => {
  const pid = Number(await fileWritten(stage, "pid.txt"))
  if (lives(pid)) process.kill(pid, "SIGKILL")
}
