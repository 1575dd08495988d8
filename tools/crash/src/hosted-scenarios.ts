/**
 * Deaths while a model's calls run, await a person, or are driven on after an answer.
 *
 * Owns: the script that is played, what each call leaves of itself, what the next process must find.
 * Limits: each command writes a line when it runs, so that a second run of it shows.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Death, never, runSteno, showLast, workspaceOf } from "./killed-steno.ts"
import { diedAt, differs, nextCommandWorks, type Scenario } from "./scenarios.ts"

const moments = ["begin", "before-commit", "after-commit"] as const

const ranFile = (home: string) => join(workspaceOf(home), "ran")
const ran = (home: string): ReadonlyArray<string> => existsSync(ranFile(home)) ? readFileSync(ranFile(home), "utf8").trim().split("\n") : []

const succeeds = "echo succeeds >> ran; echo kept"
const fails = "echo fails >> ran; exit 7"
const stalls = "echo stalls >> ran; sleep 300"
const asks = "echo asks >> ran; echo asked"

const call = (command: string) => ({ type: "call", tool: "bash", arguments: { command } })

/** Writes what is played, and the rules under which the commands but `asks` need nobody. */
const prepare = (home: string, commands: ReadonlyArray<string>) => {
  mkdirSync(join(home, "config"), { mode: 0o700 })
  const rules = [{ effect: "ask", command: "echo asks" }, { effect: "allow", tool: "bash" }, { effect: "allow", risk: "write" }]
  writeFileSync(join(home, "config", "policy.json"), JSON.stringify({ rules }), { mode: 0o600 })
  writeFileSync(join(workspaceOf(home), "plan.json"), JSON.stringify({
    steps: [
      { answer: { content: commands.map(call) } },
      {
        expect: { resultCount: commands.length, results: commands.map((command) => ({ tool: "bash", contains: command === asks ? "asked" : "" })) },
        answer: { content: [{ type: "text", text: "All is settled." }] }
      }
    ]
  }))
}

const start = ["run", "start", "--harness", "hosted", "--model", "script:plan.json", "--approvals", "ask", "--", "go"]
const answer = ["run", "answer", "@last", "--call", "2", "--allow", "--operation-id", "crash-answer"]

type Run = NonNullable<ReturnType<typeof showLast>>

const nothingTwice = (home: string): ReadonlyArray<string> => {
  const lines = ran(home)
  return lines.filter((line, at) => lines.indexOf(line) !== at).map((line) => `the command that ${line} ran twice`)
}

/** What a call may be said to have done, by what it left. */
const isTrue = (home: string, { exitCode, input, outcome }: Run["calls"][number]): boolean => {
  const [, name = ""] = /^echo (\w+)/.exec(input) ?? []
  if (!ran(home).includes(name)) return outcome === undefined || outcome === "cancelled" || outcome === "indeterminate"
  return outcome === "indeterminate" || (outcome === "completed" && exitCode === (name === "fails" ? 7 : 0))
}

const untrueCalls = (home: string, run: Run | undefined): ReadonlyArray<string> =>
  (run?.calls ?? []).filter((found) => !isTrue(home, found)).map(({ exitCode, input, outcome }) => `${input}: said to be ${outcome}, exit ${exitCode}`)

const settledCalls = (run: Run | undefined): number => (run?.calls ?? []).filter(({ outcome }) => outcome === "completed").length

const deathWhileCallsRun = (point: string, nth: number): Scenario => ({
  name: `killed at ${point} ${nth} of three calls of a model, of which one stalls`,
  kills: 1,
  run: async (home) => {
    prepare(home, [succeeds, stalls, fails])
    const ended = runSteno(home, { point, nth }, start)
    const run = showLast(home)
    const isStored = point !== "proposeToolCalls:begin" && point !== "proposeToolCalls:before-commit"
    return [
      ...diedAt(ended),
      ...differs("the Run's state", run?.state, "halted"),
      ...differs("the number of calls", run?.calls.length, isStored ? 3 : 0),
      ...differs("the order of the calls", run?.calls.map(({ input }) => input).join(), isStored ? [succeeds, stalls, fails].join() : ""),
      ...(point === "settleToolCall:after-commit" && settledCalls(run) < nth ? [`${settledCalls(run)} calls kept their end`] : []),
      ...untrueCalls(home, run),
      ...nothingTwice(home),
      ...nextCommandWorks(home)
    ]
  }
})

/** The answer is given until the Run rests; an Operation that was applied before answers with what it made. */
const driveOn = (home: string): Run | undefined => {
  const run = showLast(home)
  if (run?.state !== "blocked") return run
  runSteno(home, never, answer)
  return showLast(home)
}

const deathWhileOneAsks = (point: string, nth: number): Scenario => ({
  name: `killed at ${point} ${nth} of a call that asks beside one that does not`,
  kills: 1,
  run: async (home) => {
    prepare(home, [succeeds, asks])
    const ended = runSteno(home, { point, nth }, start)
    const run = driveOn(home)
    const isKept = run?.state === "succeeded"
    return [
      ...diedAt(ended),
      ...(isKept || run?.state === "halted" ? [] : [`the Run's state is ${run?.state}`]),
      ...(isKept && !ran(home).includes("asks") ? ["the answered call did not run"] : []),
      ...(point.startsWith("restRun") ? differs("the Run's state", run?.state, "succeeded") : []),
      ...untrueCalls(home, run),
      ...nothingTwice(home),
      ...nextCommandWorks(home)
    ]
  }
})

/** Once the answered call has left its question, nothing of the Turn awaits a person, and it is lost. */
const isLostAt = ({ nth, point }: Death): boolean => {
  const [write] = point.split(":")
  if (write === "takeOver" || write === "recordResolution") return false
  return write !== "advanceToolCall" || nth > 1 || point.endsWith(":after-commit")
}

const deathWhileAnswered = (death: Death): Scenario => ({
  name: `killed at ${death.point} ${death.nth} of an answer`,
  kills: 1,
  run: async (home) => {
    prepare(home, [succeeds, asks])
    const blocked = runSteno(home, never, start)
    const ended = runSteno(home, death, answer)
    const run = driveOn(home)
    return [
      ...differs("the exit code of a Run that asks", blocked.code, 2),
      ...diedAt(ended),
      ...differs("the Run's state", run?.state, isLostAt(death) ? "halted" : "succeeded"),
      ...(isLostAt(death) ? [] : differs("what ran", ran(home).join(), "succeeds,asks")),
      ...untrueCalls(home, run),
      ...nothingTwice(home)
    ]
  }
})

const atEach = (write: string): ReadonlyArray<string> => moments.map((moment) => `${write}:${moment}`)

/** Before and behind the commit; nothing of an answer can tell the beginning of a write from its end. */
const aroundCommit = (write: string): ReadonlyArray<string> => [`${write}:before-commit`, `${write}:after-commit`]

export const hostedScenarios: ReadonlyArray<Scenario> = [
  ...atEach("proposeToolCalls").map((point) => deathWhileCallsRun(point, 1)),
  ...[1, 3].flatMap((nth) => atEach("advanceToolCall").map((point) => deathWhileCallsRun(point, nth))),
  ...[1, 2].flatMap((nth) => atEach("settleToolCall").map((point) => deathWhileCallsRun(point, nth))),
  ...[1, 2].map((nth) => deathWhileOneAsks("advanceToolCall:after-commit", nth)),
  ...atEach("restRun").map((point) => deathWhileOneAsks(point, 1)),
  ...["takeOver", "recordResolution", "settleToolCall", "proposeToolCalls"].flatMap((write) =>
    aroundCommit(write).map((point) => deathWhileAnswered({ point, nth: 1 }))),
  ...[1, 2].flatMap((nth) => aroundCommit("advanceToolCall").map((point) => deathWhileAnswered({ point, nth })))
]
