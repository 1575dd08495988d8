/**
 * The deaths that are tried and what the next process must find.
 *
 * Owns: the list; each scenario kills at least once and answers with what was wrong.
 */
import { failpoints } from "@steno/ledger"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isRunning } from "./invariants.ts"
import { type Death, killWhileRunning, listAll, never, readStream, runSteno, showLast, workspaceOf } from "./killed-steno.ts"

export interface Scenario {
  readonly name: string
  /** How often Steno is killed in it. */
  readonly kills: number
  /** Violations; empty when all is right. */
  readonly run: (home: string) => Promise<ReadonlyArray<string>>
}

const start = (command: string) => ["run", "start", "--harness", "command", "--", command]

export const differs = (what: string, found: unknown, right: unknown): ReadonlyArray<string> =>
  found === right ? [] : [`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(right)}`]

export const diedAt = (ended: ReturnType<typeof runSteno>): ReadonlyArray<string> =>
  ended.signal === "SIGKILL" ? [] : [`the process did not die at the point: exit ${ended.code}, ${ended.stderr}`]

/** The writes of a direct command, in order, with what each leaves once it is durable. */
const driveWrites = ["admitRun", "createToolCalls", "recordProcess", "settleToolCall", "settleTurn"] as const
type DriveWrite = typeof driveWrites[number]

interface Expected {
  readonly state: string | undefined
  readonly outcome: string | undefined
  readonly exitCode: number | undefined
}

const nothing: Expected = { state: undefined, outcome: undefined, exitCode: undefined }
const haltedWithoutCall: Expected = { state: "halted", outcome: undefined, exitCode: undefined }
const haltedInCall: Expected = { state: "halted", outcome: "indeterminate", exitCode: undefined }
const settled: Expected = { state: "failed", outcome: "completed", exitCode: 3 }

const durableAfter: Readonly<Record<DriveWrite, Expected>> = {
  admitRun: haltedWithoutCall,
  createToolCalls: haltedInCall,
  recordProcess: haltedInCall,
  settleToolCall: settled,
  settleTurn: settled
}

const expectedAt = (write: DriveWrite, moment: string): Expected => {
  if (moment === "after-commit") return durableAfter[write]
  const before = driveWrites[driveWrites.indexOf(write) - 1]
  return before === undefined ? nothing : durableAfter[before]
}

const checkRun = (home: string, right: Expected): ReadonlyArray<string> => {
  const run = showLast(home)
  const call = run?.calls[0]
  return [
    ...differs("the Run's state", run?.state, right.state),
    ...differs("the call's outcome", call?.outcome, right.outcome),
    ...differs("the exit code", call?.exitCode, right.exitCode)
  ]
}

export const nextCommandWorks = (home: string): ReadonlyArray<string> => {
  const next = runSteno(home, never, start("echo next"))
  return differs("the next command's exit code", next.code, 0)
}

const deathInDrive = (write: DriveWrite, moment: string): Scenario => ({
  name: `killed at ${write}:${moment} of a short command`,
  kills: 1,
  run: async (home) => {
    const ended = runSteno(home, { point: `${write}:${moment}`, nth: 1 }, start("echo kept; exit 3"))
    return [...diedAt(ended), ...checkRun(home, expectedAt(write, moment)), ...nextCommandWorks(home)]
  }
})

const longCommand = (receipt: string) =>
  [
    "echo kept; echo err >&2",
    "setsid sleep 300 & pids=$!",
    "sleep 300 & pids=\"$pids $!\"",
    "env -i sleep 300 & pids=\"$pids $!\"",
    `echo $$ $pids > ${receipt}.part; mv ${receipt}.part ${receipt}; wait`
  ].join("\n")

/** Of the processes that the command wrote into its receipt; the one without an environment carries no marker. */
const stillRunning = (receipt: string): ReadonlyArray<string> =>
  readFileSync(receipt, "utf8").trim().split(" ").filter((pid) => isRunning(Number(pid))).map((pid) => `process ${pid} is left`)

const deathWhileRunning: Scenario = {
  name: "killed while a command with children runs, one in a session of its own",
  kills: 1,
  run: async (home) => {
    const receipt = join(workspaceOf(home), "receipt")
    await killWhileRunning(home, start(longCommand(receipt)), receipt)
    return [
      ...checkRun(home, haltedInCall),
      ...differs("the captured stdout", readStream(home, "stdout"), "kept\n"),
      ...differs("the captured stderr", readStream(home, "stderr"), "err\n"),
      ...stillRunning(receipt),
      ...nextCommandWorks(home)
    ]
  }
}

/** Kills a running command's owner, then the process that settles it, at each point of its writes. */
const deathInRecovery = (point: string): Scenario => ({
  name: `killed while running, then killed at ${point} of the recovery`,
  kills: 2,
  run: async (home) => {
    const receipt = join(workspaceOf(home), "receipt")
    await killWhileRunning(home, start(longCommand(receipt)), receipt)
    const recovery = runSteno(home, { point, nth: 1 }, ["run", "show", "@last"])
    return [...diedAt(recovery), ...checkRun(home, haltedInCall), ...stillRunning(receipt), ...nextCommandWorks(home)]
  }
})

/** A Run whose every write is committed, but whose owner died before it could tell. */
const deathAfterRest: Scenario = {
  name: "killed after a green command's last commit",
  kills: 1,
  run: async (home) => {
    const death: Death = { point: "settleTurn:after-commit", nth: 1 }
    const ended = runSteno(home, death, start("echo kept"))
    const rows = listAll(home)
    return [
      ...diedAt(ended),
      ...differs("the Run's state", rows[0]?.state, "succeeded"),
      ...differs("the Run's liveness", rows[0]?.live, false),
      ...nextCommandWorks(home)
    ]
  }
}

const recoveryPoints = failpoints.filter((point) => point.startsWith("takeOver:") || point.startsWith("settleTurn:"))

/** One round of every scenario of direct commands. */
export const commandScenarios: ReadonlyArray<Scenario> = [
  ...driveWrites.flatMap((write) => ["begin", "before-commit", "after-commit"].map((moment) => deathInDrive(write, moment))),
  deathWhileRunning,
  ...recoveryPoints.map(deathInRecovery),
  deathAfterRest
]
