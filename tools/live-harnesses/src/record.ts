/**
 * Records what a real program says: one scenario after the other, each in folders of its own.
 *
 * Usage: `npm run record:live -- PROGRAM [SCENARIO …]`, e.g. `npm run record:live -- codex interrupt`; without scenarios all.
 * Prints one line per recording; exits 1 where one could not be made.
 */
import { parseScript } from "@steno/model-script"
import { start } from "@steno/tool-scripted-model"
import { Result } from "effect"
import { join } from "node:path"
import { executableOf, foundVersion, type HarnessProgram, harnessPrograms, programsFolder } from "./harness-program.ts"
import { RecordedProcess } from "./recorded-process.ts"
import { type RecordedLine, recordingsFolder, type RecordingHeader, scriptFile, writeRecording } from "./recording.ts"
import { makeRedact } from "./redaction.ts"
import type { Scenario } from "./scenario.ts"
import { scenariosOf } from "./scenarios.ts"
import { makeScratch } from "./scratch.ts"

const record = async (program: HarnessProgram, scenario: Scenario): Promise<number> => {
  const scratch = makeScratch(programsFolder)
  const script = JSON.stringify(scenario.script).replaceAll("{{workspace}}", scratch.workspace)
  const model = await start({ script: Result.getOrThrow(parseScript(script)) })
  const environment = { ...scratch.environment, ...program.configure(scratch, model.url) }
  for (const [name, text] of Object.entries(scenario.files ?? {})) scratch.write(scratch.workspace, name, text)
  const version = foundVersion(program, environment)
  const began = Date.now()
  const now = (): number => Date.now() - began
  const processes: Array<RecordedProcess> = []
  const lines: Array<RecordedLine> = []
  const observations: Record<string, RecordingHeader["observations"][string]> = {}
  try {
    await scenario.play({
      scratch,
      model,
      launch: (programArguments, more = {}) => {
        const started = new RecordedProcess({
          number: processes.length + 1,
          command: executableOf(program),
          launcherArguments: [],
          arguments: programArguments,
          cwd: scratch.workspace,
          environment: { ...environment, ...more },
          now,
          keep: (line) => void lines.push(line)
        })
        processes.push(started)
        return started
      },
      observe: (name, value) => {
        observations[name] = value
      }
    })
  } catch (error) {
    for (const { direction, line, ms, process: number } of lines.slice(-40)) process.stderr.write(`${number} ${direction} ${ms} ${line.slice(0, 600)}\n`)
    for (const { outcome, played } of model.requests()) process.stderr.write(`model request: ${outcome} ${played}\n`)
    throw error
  } finally {
    await Promise.all(processes.map((one) => one.end()))
    for (const one of processes) one.kill("SIGKILL")
    await model.close()
    scratch.remove()
  }
  const redactions = [...scratch.redactions, { value: model.url, placeholder: "http://127.0.0.1:1", meaning: "the address of the scripted model" }]
  const redact = makeRedact(redactions)
  const clean = <A>(value: A): A => JSON.parse(redact(JSON.stringify(value))) as A
  const kept = lines.map((line) => ({ ...line, line: redact(program.leaveOut(line.line)) }))
  writeRecording({ harness: program.id, scenario: scenario.name, folder: join(recordingsFolder, program.id, scenario.name) }, {
    header: clean({
      format: 1,
      harness: program.id,
      version,
      protocol: program.protocol,
      platform: `${process.platform}-${process.arch}`,
      date: new Date(began).toISOString().slice(0, 10),
      scenario: scenario.name,
      description: scenario.description,
      modelScript: scriptFile,
      processes: await Promise.all(processes.map(({ exited }) => exited)),
      modelRequests: model.requests().map(({ at, outcome, played }) => ({ ms: Date.parse(at) - began, outcome, played })),
      observations,
      redactions: { ...Object.fromEntries(redactions.map(({ meaning, placeholder }) => [placeholder, meaning])), ...program.leftOut },
      refresh: `npm run record:live -- ${program.id} ${scenario.name}`
    }),
    lines: kept,
    script: scenario.script
  })
  return kept.length
}

const [id, ...names] = process.argv.slice(2)
const program = harnessPrograms.find((candidate) => candidate.id === id)
const scenarios = program === undefined ? [] : scenariosOf[program.id].filter(({ name }) => names.length === 0 || names.includes(name))
if (program === undefined || scenarios.length === 0) {
  process.stderr.write(`usage: npm run record:live -- ${harnessPrograms.map((known) => known.id).join("|")} [SCENARIO …]\n`)
  process.exit(64)
}
for (const scenario of scenarios) {
  try {
    process.stdout.write(`${program.id} ${scenario.name}: ${await record(program, scenario)} lines\n`)
  } catch (error) {
    process.exitCode = 1
    process.stdout.write(`${program.id} ${scenario.name}: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}
