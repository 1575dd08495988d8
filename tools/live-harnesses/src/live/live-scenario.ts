/**
 * What is done with Steno and a real program, and what must then be true.
 *
 * Never owns: the folders and the model of a scenario (live.ts).
 */
import type { RunCall, RunSnapshot } from "@steno/contracts"
import type { ScriptedModel } from "@steno/tool-scripted-model"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { answers, called, said, type Scenario } from "../scenario.ts"
import type { Scratch } from "../scratch.ts"
import type { DrivenSteno, Ended, Started } from "./driven-steno.ts"
import type { LiveAgent } from "./live-agent.ts"
import { scratchProcesses } from "./scratch-processes.ts"

export interface LiveStage {
  readonly agent: LiveAgent
  readonly steno: DrivenSteno
  readonly scratch: Scratch
  readonly model: ScriptedModel
  readonly check: (claim: string, holds: boolean, found?: unknown) => void
}

export interface LiveScenario {
  readonly name: string
  readonly script: (agent: LiveAgent) => Scenario["script"]
  /** In the Workspace before Steno starts: path to text. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether the program asks about each change. */
  readonly isStrict?: true
  readonly play: (stage: LiveStage) => Promise<void>
}

const lastsLong = "echo $$ > pid.txt; echo begun; sleep 300; echo over > over.txt"

const startArguments = ({ agent }: LiveStage, approvals: "allow" | "deny", ...more: ReadonlyArray<string>): ReadonlyArray<string> =>
  ["run", "start", "--harness", agent.id, "--approvals", approvals, "--json", ...more, "--"]

const fileOf = ({ scratch }: LiveStage, name: string): string | undefined => {
  const path = join(scratch.workspace, name)
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** Resolves when the command has written the file; rejects when Steno ends before. */
const writtenBy = async (stage: LiveStage, started: Started, name: string): Promise<string> => {
  let ended: Ended | undefined
  void started.ended.then((end) => void (ended = end))
  for (;;) {
    const text = fileOf(stage, name)
    if (text !== undefined && text !== "") return text
    if (ended !== undefined) throw new Error(`Steno ended before ${name} was written: ${ended.stdout}${ended.stderr}`)
    await pause(20)
  }
}

const commandsOf = (run: RunSnapshot, part: string): ReadonlyArray<RunCall> => run.calls.filter(({ input }) => input.includes(part))

/** Resolves when the lasting command runs and its call is on record. */
const underway = async (stage: LiveStage, started: Started): Promise<void> => {
  await writtenBy(stage, started, "pid.txt")
  while (commandsOf(await stage.steno.show(), "pid.txt").length === 0) await pause(50)
}

const isEnd = (call: RunCall | undefined, end: LiveAgent["failed"]): boolean =>
  call !== undefined && call.outcome === end.outcome && call.exitCode === end.exitCode

const nobodyIsLeft = ({ check, scratch }: LiveStage): void => {
  const left = scratchProcesses(scratch)
  check("no process is left", left.length === 0, left)
}

const ranOnce = ({ check }: LiveStage, run: RunSnapshot, state: RunSnapshot["state"], ...results: ReadonlyArray<string>): void => {
  check(`the Run is ${state}`, run.state === state, [run.state, run.turns])
  check(`its Turns are ${results.join(", ")}`, run.turns.map(({ result }) => result).join() === results.join(), run.turns)
  check("every call is settled", run.calls.every(({ outcome }) => outcome !== undefined), run.calls)
}

const transcriptEndsWith = async ({ check, steno }: LiveStage, text: string): Promise<void> => {
  const entries = await steno.transcript()
  check(`the transcript ends with what was said: ${text}`, entries.at(-1) === `assistant: ${text}`, entries)
}

const twoCommands: LiveScenario = {
  name: "two commands, one failing",
  script: (agent) => agent.script(
    answers(said("I run two."), agent.command("echo before; echo wrong >&2; exit 3")),
    answers(agent.command("echo fine")),
    answers(said("One failed, one did not."))
  ),
  play: async (stage) => {
    const { agent, check, steno } = stage
    const ended = await steno.run(...startArguments(stage, "allow"), "Run two commands.")
    const run = await steno.show()
    check("Steno exits with 0", ended.code === 0, ended)
    ranOnce(stage, run, "succeeded", "completed")
    const [failing] = commandsOf(run, "exit 3")
    const [fine] = commandsOf(run, "echo fine")
    check("the failing command is told as the program tells it", isEnd(failing, agent.failed), run.calls)
    check("so is the other one", isEnd(fine, agent.succeeded), run.calls)
    check("there are two calls", run.calls.length === 2, run.calls)
    check("what was printed is kept", run.calls.every(({ output }) => output !== undefined && output.bytes > 0), run.calls)
    const page = await steno.run("run", "read", "@last", "--call", "2", "--raw")
    check("the second one printed fine", page.stdout.includes("fine"), page)
    check("the transcript begins with the input", (await steno.transcript())[0] === "user: Run two commands.", await steno.transcript())
    await transcriptEndsWith(stage, "One failed, one did not.")
    nobodyIsLeft(stage)
  }
}

const edit: LiveScenario = {
  name: "an edit",
  files: { "greeting.txt": "hello\nthere\n" },
  script: (agent) => agent.script(...agent.edit, answers(said("It is changed."))),
  play: async (stage) => {
    const { check, steno } = stage
    const ended = await steno.run(...startArguments(stage, "allow"), "Change the greeting.")
    const run = await steno.show()
    check("Steno exits with 0", ended.code === 0, ended)
    ranOnce(stage, run, "succeeded", "completed")
    check("the file is changed", fileOf(stage, "greeting.txt") === "good morning\nthere\n", fileOf(stage, "greeting.txt"))
    check("the new file is there", fileOf(stage, "new.txt") === "one\n", fileOf(stage, "new.txt"))
    const changes = run.calls.filter(({ tool }) => tool === "file-change")
    check("each change names its file", ["greeting.txt", "new.txt"].every((name) => changes.some(({ input }) => input.includes(name))), run.calls)
    check("each change is completed", changes.length > 0 && changes.every(({ outcome }) => outcome === "completed"), changes)
    await transcriptEndsWith(stage, "It is changed.")
    nobodyIsLeft(stage)
  }
}

const allowed: LiveScenario = {
  name: "an approval that is allowed",
  isStrict: true,
  script: (agent) => agent.script(answers(agent.askingCommand("touch allowed.txt && echo touched")), answers(said("It was allowed."))),
  play: async (stage) => {
    const { agent, check, steno } = stage
    const ended = await steno.run(...startArguments(stage, "allow"), "Touch a file.")
    const run = await steno.show()
    check("Steno exits with 0", ended.code === 0, ended)
    ranOnce(stage, run, "succeeded", "completed")
    check("the command ran", fileOf(stage, "allowed.txt") === "", fileOf(stage, "allowed.txt"))
    check("its call is completed", isEnd(commandsOf(run, "allowed.txt")[0], agent.succeeded), run.calls)
    check("the question is on record with its answer", run.timeline.some(({ event }) => event === "request-answered"), run.timeline)
    await transcriptEndsWith(stage, "It was allowed.")
    nobodyIsLeft(stage)
  }
}

const refused: LiveScenario = {
  name: "an approval that is denied",
  isStrict: true,
  script: (agent) => agent.script(answers(said("I ask."), agent.askingCommand("touch refused.txt")), answers(said("It was refused."))),
  play: async (stage) => {
    const { agent, check, steno } = stage
    await steno.run(...startArguments(stage, "deny"), "Touch a file.")
    const run = await steno.show()
    ranOnce(stage, run, "succeeded", "completed")
    check("the command did not run", fileOf(stage, "refused.txt") === undefined)
    check("its call is denied", commandsOf(run, "refused.txt")[0]?.outcome === "denied", run.calls)
    check("the question is on record with its answer", run.timeline.some(({ event }) => event === "request-answered"), run.timeline)
    await transcriptEndsWith(stage, agent.goesOnAfterRefusal ? "It was refused." : "I ask.")
    nobodyIsLeft(stage)
  }
}

/** After a Turn was cut off: nothing of its command goes on, and the same conversation can. */
const goesOn = async (stage: LiveStage, how: "resume" | "send"): Promise<void> => {
  const { check, model, steno } = stage
  const ended = await (how === "resume" ? steno.run("run", "resume", "@last", "--json") : steno.run("run", "send", "@last", "--json", "--", "And now?"))
  const run = await steno.show()
  check(`after ${how} Steno exits with 0`, ended.code === 0, ended)
  check("the Run succeeded", run.state === "succeeded", [run.state, run.turns])
  check("the new Turn is completed", run.turns.length === 2 && run.turns[1]?.result === "completed", run.turns)
  const last = model.requests().filter(({ body }) => JSON.stringify(body).includes("Begin the work."))
  check("the program went on with the same conversation", last.length >= 2 && model.requests().some(({ body }) => {
    const text = JSON.stringify(body)
    return text.includes("Begin the work.") && text.includes(how === "resume" ? "last Turn" : "And now?")
  }), model.requests().map(({ played }) => played))
  await transcriptEndsWith(stage, "I go on.")
  nobodyIsLeft(stage)
}

const lasting = (agent: LiveAgent) => agent.script(answers(said("I begin."), agent.command(lastsLong)), answers(said("I go on.")))

const cutOff = ({ check }: LiveStage, run: RunSnapshot, result: string): void => {
  check("the Run is halted", run.state === "halted", [run.state, run.turns])
  check(`the Turn is ${result}`, run.turns.length === 1 && run.turns[0]?.result === result, run.turns)
  const [call] = commandsOf(run, "pid.txt")
  check("nobody claims to know how the command ended", call?.outcome === "indeterminate" && call.exitCode === undefined, run.calls)
}

const commandIsOver = (stage: LiveStage): void => {
  stage.check("the command did not go on", fileOf(stage, "over.txt") === undefined)
  nobodyIsLeft(stage)
}

const interrupted: LiveScenario = {
  name: "an interrupt in mid-command, then another Turn",
  script: lasting,
  play: async (stage) => {
    const { check, steno } = stage
    const started = steno.begin(...startArguments(stage, "allow"), "Begin the work.")
    await underway(stage, started)
    const interrupt = await steno.run("run", "interrupt", "@last", "--json")
    check("the interrupt is applied", interrupt.code === 0, interrupt)
    const ended = await started.ended
    check("Steno exits with 1", ended.code === 1, ended)
    cutOff(stage, await steno.show(), "interrupted")
    commandIsOver(stage)
    await goesOn(stage, "send")
  }
}

const programKilled: LiveScenario = {
  name: "kill -9 of the program in mid-command, then a resume",
  script: lasting,
  play: async (stage) => {
    const { check, scratch, steno } = stage
    const started = steno.begin(...startArguments(stage, "allow"), "Begin the work.")
    await underway(stage, started)
    const programs = scratchProcesses(scratch).filter(({ parent }) => parent === started.pid)
    check("the program is a child of Steno", programs.length > 0, scratchProcesses(scratch))
    for (const { pid } of programs) process.kill(pid, "SIGKILL")
    const ended = await started.ended
    check("Steno exits with 1", ended.code === 1, ended)
    cutOff(stage, await steno.show(), "lost")
    commandIsOver(stage)
    await goesOn(stage, "resume")
  }
}

const stenoKilled: LiveScenario = {
  name: "kill -9 of Steno in mid-command, then a resume",
  script: lasting,
  play: async (stage) => {
    const { check, steno } = stage
    const started = steno.begin(...startArguments(stage, "allow"), "Begin the work.")
    await underway(stage, started)
    started.kill("SIGKILL")
    check("Steno was killed", (await started.ended).signal === "SIGKILL")
    cutOff(stage, await steno.show(), "lost")
    commandIsOver(stage)
    await goesOn(stage, "resume")
  }
}

const secondTurn: LiveScenario = {
  name: "a second Turn",
  script: (agent) => agent.script(
    answers(said("I run it."), agent.command("echo first")),
    answers(said("That was the first Turn.")),
    answers(agent.command("echo second")),
    answers(said("I go on."))
  ),
  play: async (stage) => {
    const { check, steno } = stage
    const ended = await steno.run(...startArguments(stage, "allow"), "Begin the work.")
    check("Steno exits with 0", ended.code === 0, ended)
    await transcriptEndsWith(stage, "That was the first Turn.")
    nobodyIsLeft(stage)
    await goesOn(stage, "send")
    const run = await steno.show()
    check("each Turn has its call once", ["echo first", "echo second"].every((part) => commandsOf(run, part).length === 1) && run.calls.length === 2, run.calls)
    const entries = await steno.transcript()
    check("no text is there twice", new Set(entries).size === entries.length, entries)
  }
}

const agentCall: LiveScenario = {
  name: "an Agent call",
  script: (agent) => agent.script(
    answers(said("I give up."), called(agent.ownTool("run_failed"), { reason: "No network." })),
    answers(said("I said so."))
  ),
  play: async (stage) => {
    const { agent, check, steno } = stage
    const model = agent.toolsModel === undefined ? [] : ["--model", agent.toolsModel]
    const ended = await steno.run(...startArguments(stage, "deny", "--agent-calls", "accept", ...model), "Do it.")
    const run = await steno.show()
    check("Steno exits with 1", ended.code === 1, ended)
    ranOnce(stage, run, "failed", "completed")
    check("the Agent call is no tool call", run.calls.length === 0, run.calls)
    check("its reason is on record", run.timeline.some(({ event }) => event === "agent-call"), run.timeline)
    await transcriptEndsWith(stage, "I said so.")
    nobodyIsLeft(stage)
  }
}

export const liveScenarios: ReadonlyArray<LiveScenario> =
  [twoCommands, edit, allowed, refused, secondTurn, agentCall, interrupted, programKilled, stenoKilled]
