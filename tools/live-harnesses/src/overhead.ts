/**
 * What Steno adds to a Turn of an outside agent: `steno run start` beside the bare program, driven over its own protocol by a
 * client that does nothing else; and the memory of Steno while a command of the agent prints 256 MiB.
 *
 * Usage: `npm run bench -- outside `.
 * Limits: needs the programs of this folder; the model is the scripted one on loopback. Each pair runs in folders that
 * were used before, so neither side pays for a first start. Both are timed from the start to the end of their process.
 */
import { parseScript } from "@steno/model-script"
import { watchPeakMemory } from "@steno/tool-bench/peak-memory"
import { report, spread } from "@steno/tool-bench/ratio"
import { pack, packedBin } from "@steno/tool-bench/startup"
import { start } from "@steno/tool-scripted-model"
import { Result } from "effect"
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { bash as claudeCommand } from "./claude-code/claude-calls.ts"
import { command as codexCommand } from "./codex/codex-calls.ts"
import { executableOf, type HarnessProgram, harnessPrograms, programsFolder } from "./harness-program.ts"
import { bash as opencodeCommand, scripted } from "./opencode/opencode-session.ts"
import { RecordedProcess } from "./recorded-process.ts"
import { answers, said, type Scenario } from "./scenario.ts"
import { scenariosOf } from "./scenarios.ts"
import { makeScratch, type Scratch } from "./scratch.ts"

const pairs = 9
const memoryRounds = 3
const leastAllowanceMs = 150
const allowedShare = 0.15

const commands = { "claude-code": claudeCommand, codex: codexCommand, opencode: opencodeCommand } as const

type Script = Scenario["script"]

/** Its program in folders of its own, with a model that plays one script. */
const onProgram = async <A>(
  program: HarnessProgram,
  scratch: Scratch,
  script: Script,
  work: (environment: Readonly<Record<string, string>>, model: Awaited<ReturnType<typeof start>>) => Promise<A>
): Promise<A> => {
  const model = await start({ script: Result.getOrThrow(parseScript(JSON.stringify(script))) })
  try {
    return await work({ ...scratch.environment, ...program.configure(scratch, model.url) }, model)
  } finally {
    await model.close()
  }
}

/** Milliseconds of the program alone. */
const bareTurn = (program: HarnessProgram, scratch: Scratch, { play, script }: Scenario): Promise<number> =>
  onProgram(program, scratch, script, async (environment, model) => {
    const began = performance.now()
    const processes: Array<RecordedProcess> = []
    await play({
      scratch,
      model,
      launch: (programArguments) => {
        const started = new RecordedProcess({
          number: 1,
          command: executableOf(program),
          launcherArguments: [],
          arguments: programArguments,
          cwd: scratch.workspace,
          environment,
          now: () => 0,
          keep: () => undefined
        })
        processes.push(started)
        return started
      },
      observe: () => undefined
    })
    for (const one of processes) await one.end()
    return performance.now() - began
  })

/** Milliseconds of Steno that drives the program. */
const stenoTurn = (
  program: HarnessProgram,
  scratch: Scratch,
  script: Script,
  input: string,
  started: (pid: number) => void = () => undefined
): Promise<number> =>
  onProgram(program, scratch, script, async (environment) => {
    const began = performance.now()
    const child = spawn(process.execPath, [
      packedBin, "--home", join(scratch.home, "steno"), "run", "start", "--harness", program.id, "--approvals", "allow", "--json", "--", input
    ], {
      cwd: scratch.workspace,
      env: { ...environment, PATH: `${dirname(executableOf(program))}:${environment["PATH"] ?? ""}` },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")))
    started(child.pid ?? 0)
    const code = await new Promise<number | null>((resolve) => void child.on("close", resolve))
    const ms = performance.now() - began
    if (code !== 0) throw new Error(`steno ended with ${code}: ${text.slice(-2_000)}`)
    return ms
  })

const textScenario = (program: HarnessProgram): Scenario => {
  const found = scenariosOf[program.id].find(({ name }) => name === "text")
  if (found === undefined) throw new Error(`${program.id} has no scenario of a text`)
  return found
}

const benchTurn = async (program: HarnessProgram, scratch: Scratch): Promise<void> => {
  const scenario = textScenario(program)
  const bare = () => bareTurn(program, scratch, scenario)
  const driven = () => stenoTurn(program, scratch, scenario.script, "Say good morning.")
  await bare()
  await driven()
  const found: Array<{ readonly bare: number; readonly steno: number }> = []
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) found.push({ bare: await bare(), steno: await driven() })
    else {
      const steno = await driven()
      found.push({ bare: await bare(), steno })
    }
  }
  const bareMs = spread(found.map((pair) => pair.bare)).median
  const allowanceMs = Math.round(Math.max(leastAllowanceMs, allowedShare * bareMs))
  report(`a minimal Turn of ${program.id}, beyond the bare program`, found.map((pair) => pair.steno - pair.bare), { unit: " ms", atMost: allowanceMs }, `bare ${Math.round(bareMs)} ms`)
  report("the same against the bare program", found.map((pair) => pair.steno / pair.bare), { unit: " ×" })
}

const printing = "yes 'a line of an output that does not end soon' | head -c 268435456"

const benchMemory = async (program: HarnessProgram, scratch: Scratch): Promise<void> => {
  const steps = [answers(commands[program.id](printing)), answers(said("It is printed."))]
  const script = program.id === "opencode" ? scripted(...steps) : { steps }
  const peaks: Array<number> = []
  for (let round = 0; round < memoryRounds; round++) {
    let peak = () => Number.NaN
    await stenoTurn(program, scratch, script, "Print much.", (pid) => {
      peak = watchPeakMemory(pid)
    })
    peaks.push(peak())
  }
  report(`peak memory of Steno while a command of ${program.id} prints 256 MiB`, peaks, { unit: " MB", atMost: 120, judged: "maximum" })
}

const wanted = process.argv.slice(2)
pack()
for (const program of harnessPrograms.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
  const scratch = makeScratch(programsFolder)
  try {
    await benchTurn(program, scratch)
    await benchMemory(program, scratch)
  } finally {
    scratch.remove()
  }
}
