/**
 * What must hold after a Run whose writes failed: what its process said, and what the next processes find.
 *
 * Owns: the rules; each violation is one line.
 */
import { Problem, RunDocument, RunListDocument, type RunSnapshot } from "@steno/contracts"
import { callIdsOf, ledgerViolations, markedProcesses } from "@steno/tool-crash/invariants"
import { Schema } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { FaultyCommand } from "./faulty-command.ts"
import { type Ended, runSteno } from "./faulty-steno.ts"

type Violations = ReadonlyArray<string>

const decodeRun = Schema.decodeUnknownSync(RunDocument)
const decodeList = Schema.decodeUnknownSync(RunListDocument)
const decodeAnswer = Schema.decodeUnknownSync(Schema.Union([RunDocument, Problem]))

/** What the process with the fault printed. */
interface Answer {
  readonly run: RunSnapshot | undefined
  readonly problem: Problem | undefined
}

const answerOf = (stdout: string): Answer => {
  const document = decodeAnswer(JSON.parse(stdout))
  if ("code" in document) return { run: undefined, problem: document }
  return document.result.found
    ? { run: document.result.run, problem: undefined }
    : { run: undefined, problem: document.result.problem }
}

const endViolations = (ended: Ended): Violations => [
  ...(ended.signal === null ? [] : [`ended by ${ended.signal}: it did not end within the limit`]),
  ...(ended.code === 1 || ended.signal !== null ? [] : [`exit code ${ended.code}, not 1`]),
  ...(/\n\s+at /.test(ended.stdout + ended.stderr) ? [`a stack trace: ${ended.stderr}`] : []),
  ...(ended.trace.some((point) => point.failed) ? [] : ["the operation was not reached"])
]

/** Storage Problems name a path of the home and what to do. */
const problemViolations = (home: string, problem: Problem): Violations => [
  ...(/^(storage-|home-)/.test(problem.code) ? [] : [`a Problem ${problem.code}: ${problem.explanation}`]),
  ...(problem.explanation.includes(home) ? [] : [`no path in: ${problem.explanation}`]),
  ...(problem.remediation === "" ? ["nothing to do is named"] : [])
]

/** What a finished call claims is so: its end is the command's own, and what is missing of its output is said. */
const callViolations = (home: string, command: FaultyCommand, run: RunSnapshot): Violations => {
  const [call] = run.calls
  if (call === undefined) return ["no call in the Run document"]
  if (call.outcome === "failed") {
    const { code, text } = call.reason ?? { code: "", text: "" }
    return [
      ...(["capture-not-opened", "could-not-start"].includes(code) ? [] : [`failed with reason ${code}`]),
      ...(text.includes(home) ? [] : [`no path in: ${text}`]),
      ...(call.exitCode === undefined ? [] : [`an exit code of what did not start: ${call.exitCode}`])
    ]
  }
  if (call.outcome !== "completed" || call.exitCode !== 3) return [`outcome ${call.outcome}, exit code ${call.exitCode}`]
  const warnings = call.warnings ?? []
  const isWarned = warnings.some(({ code, text }) => code.startsWith("capture-storage-") && text.includes(home))
  const shown = (call.output?.projection ?? "").split("\n")
  return [
    ...command.lastLines
      .filter((line) => !shown.some((one) => one.replace(/^\d+: /, "") === line))
      .map((line) => `${line} is not in the result`),
    ...(call.output?.bytes === command.bytes ? [] : [`${call.output?.bytes} bytes of output are told of ${command.bytes}`]),
    ...(isWarned ? lossViolations(command, run) : keptViolations(command, run))
  ]
}

const sizeOf = (path: string): number => existsSync(path) ? statSync(path).size : 0

/** What is told as dropped is exactly what the file of the output lacks. */
const lossViolations = (command: FaultyCommand, run: RunSnapshot): Violations => {
  const { droppedBytes = 0, path } = run.calls[0]?.output ?? {}
  const stored = path === undefined ? 0 : sizeOf(path)
  return stored + droppedBytes === command.bytes ? [] : [`${droppedBytes} dropped and ${stored} stored bytes of ${command.bytes}`]
}

/** Without a warning everything is kept. */
const keptViolations = (command: FaultyCommand, run: RunSnapshot): Violations => {
  const { droppedBytes, path } = run.calls[0]?.output ?? {}
  if (path === undefined) return ["neither warning nor file"]
  return [
    ...(droppedBytes === command.droppedBytes ? [] : [`${droppedBytes} dropped bytes and no warning`]),
    ...Object.entries(command.sizes).flatMap(([name, size]) => {
      const found = sizeOf(join(path, "..", name))
      return found === size ? [] : [`${name} has ${found} bytes of ${size} and there is no warning`]
    })
  ]
}

/** The Run as a process without faults finds it, at rest. */
const recordViolations = async (root: string, told: RunSnapshot | undefined): Promise<Violations> => {
  const list = await runSteno(root, undefined, ["run", "list", "--all", "--json"])
  const shown = await runSteno(root, undefined, ["run", "show", "@last", "--json"])
  if (list.code !== 0) return [`run list ends with ${list.code}: ${list.stdout}${list.stderr}`]
  const { rows } = decodeList(JSON.parse(list.stdout))
  if (rows.length === 0) return told === undefined ? [] : ["the Run that was told is not listed"]
  const { result } = decodeRun(JSON.parse(shown.stdout))
  if (!result.found) return [`run show: ${result.problem.explanation}`]
  const { run } = result
  const [call] = run.calls
  const isOutcome = (outcome: string | undefined, exitCode: number | undefined) =>
    outcome === "completed" ? exitCode === 3 : exitCode === undefined
  return [
    ...(["failed", "halted"].includes(run.state) ? [] : [`the recorded Run is ${run.state}`]),
    ...(run.liveness.state === "resting" ? [] : [`the recorded Run is ${run.liveness.state}`]),
    ...(isOutcome(call?.outcome, call?.exitCode) ? [] : [`recorded: ${call?.outcome} with exit code ${call?.exitCode}`]),
    ...(run.turns.every((turn) => turn.result !== undefined) ? [] : ["a Turn without result"]),
    ...(told === undefined || isDeepStrictEqual(told.calls, run.calls) ? [] : ["the recorded call is not the one that was told"]),
    ...(told === undefined || told.state === run.state ? [] : [`told ${told.state}, recorded ${run.state}`])
  ]
}

const nextViolations = async (root: string): Promise<Violations> => {
  const next = await runSteno(root, undefined, ["run", "start", "--json", "--", "echo next"])
  return next.code === 0 ? [] : [`the next command ends with ${next.code}: ${next.stdout}${next.stderr}`]
}

/** Everything that is wrong after `ended`; the next command is run too. */
export const judge = async (root: string, command: FaultyCommand, ended: Ended): Promise<Violations> => {
  const home = join(root, "home")
  const found = [...endViolations(ended)]
  let told: RunSnapshot | undefined
  try {
    const { problem, run } = answerOf(ended.stdout)
    told = run
    if (problem !== undefined) found.push(...problemViolations(home, problem))
    if (run !== undefined) found.push(...callViolations(home, command, run))
  } catch (cause) {
    found.push(`no document: ${String(cause).split("\n")[0]}: ${ended.stdout}${ended.stderr}`)
  }
  found.push(...await recordViolations(root, told), ...await nextViolations(root), ...ledgerViolations(home))
  const left = markedProcesses(callIdsOf(home))
  return left.length === 0 ? found : [...found, `processes left: ${left.join(", ")}`]
}
