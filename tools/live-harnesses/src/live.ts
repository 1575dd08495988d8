/**
 * Drives the real programs through Steno and looks at what is on record, on disk, and left running.
 *
 * Usage: `npm run test:live [-- PROGRAM [WORD]]`; with WORD only scenarios whose name contains it. Installs the programs first.
 * Prints one line per check and ends with `N passed, N failed`.
 */
import { parseScript } from "@steno/model-script"
import { start } from "@steno/tool-scripted-model"
import { Result } from "effect"
import { join } from "node:path"
import { type HarnessProgram, harnessPrograms, programsFolder } from "./harness-program.ts"
import { driveSteno } from "./live/driven-steno.ts"
import { liveAgents } from "./live/live-agent.ts"
import { type LiveScenario, liveScenarios } from "./live/live-scenario.ts"
import { scratchProcesses } from "./live/scratch-processes.ts"
import { makeScratch } from "./scratch.ts"

let passed = 0
let failed = 0

const playScenario = async (program: HarnessProgram, scenario: LiveScenario): Promise<void> => {
  const agent = liveAgents[program.id]
  const scratch = makeScratch(programsFolder)
  const script = JSON.stringify(scenario.script(agent)).replaceAll("{{workspace}}", scratch.workspace)
  const model = await start({ script: Result.getOrThrow(parseScript(script)) })
  const configured = program.configure(scratch, model.url)
  const environment = { ...scratch.environment, ...configured, PATH: `${join(programsFolder, "node_modules/.bin")}:${scratch.environment["PATH"]}` }
  for (const [name, text] of Object.entries(scenario.files ?? {})) scratch.write(scratch.workspace, name, text)
  if (scenario.isStrict) agent.strict(scratch)
  const check = (claim: string, holds: boolean, found?: unknown): void => {
    if (holds) passed++
    else failed++
    process.stdout.write(`${holds ? "ok  " : "FAIL"} ${program.id}, ${scenario.name}: ${claim}${holds ? "" : `\n     ${JSON.stringify(found)}`}\n`)
  }
  try {
    await scenario.play({ agent, steno: driveSteno(scratch, environment), scratch, model, check })
  } catch (error) {
    check("it is played to its end", false, error instanceof Error ? error.message : error)
    for (const { outcome, played } of model.requests()) process.stdout.write(`     model request: ${outcome} ${played}\n`)
  } finally {
    for (const { pid } of scratchProcesses(scratch)) process.kill(pid, "SIGKILL")
    await model.close()
    scratch.remove()
  }
}

const [id, word = ""] = process.argv.slice(2)
const programs = harnessPrograms.filter((program) => id === undefined || program.id === id)
const scenarios = liveScenarios.filter(({ name }) => name.includes(word))
if (programs.length === 0 || scenarios.length === 0) {
  process.stderr.write(`usage: npm run test:live [-- ${harnessPrograms.map((known) => known.id).join("|")} [WORD]]\n`)
  process.exit(64)
}
for (const program of programs) {
  for (const scenario of scenarios) await playScenario(program, scenario)
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
