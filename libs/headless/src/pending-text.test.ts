import { describe, expect, it } from "@effect/vitest"
import type { PendingInteraction } from "@steno/contracts"
import {
  makeAgentRunSnapshot,
  pendingApproval,
  pendingQuestion,
  pendingQuestions,
  pendingReview,
  testIds
} from "@steno/projection-port/testing"
import { spawnSync } from "node:child_process"
import { Result } from "effect"
import { type AnswerOptions, answerOf } from "./answer-request.ts"
import { pendingLines } from "./pending-text.ts"

const program = ["steno", "--home", "/my home"]
const lines = (pending: PendingInteraction) => pendingLines(makeAgentRunSnapshot({ pending: [pending] }), program)
const answer = `steno --home '/my home' run answer ${testIds.run(1)} --call ${testIds.call(2)}`

describe("what a Run asks", () => {
  it("an approval shows the whole command, why it asks, what of it asks, and the rules an answer may keep", () => {
    expect(lines(pendingApproval)).toEqual([
      "",
      "Waiting for you: call 2 (bash) asks for approval",
      "  Command: rm -r build",
      "           ls",
      "  Reason:  No rule allows rm.",
      "  Asks:    rm -r build (it runs a command)",
      "  Rules:   1  allow  command \"rm -r build\"",
      "           2  allow  command \"rm *\"",
      `  Answer:  ${answer} --allow`,
      `           ${answer} --deny --reason WHY`,
      `           ${answer} --allow --always session`,
      `           ${answer} --allow --always session --rule 1`
    ])
  })

  it("nothing of a command acts on the terminal or hides", () => {
    const input = `touch keep; rm -r data #\u001b[1G\u001b[0Ktouch keep\r\u202e`
    const shown = lines({ ...pendingApproval, input, reason: "\u001b]0;x\u0007\nRun ok", segments: [], suggestedRules: [] })
    expect(shown.slice(2, 4)).toEqual([
      "  Command: touch keep; rm -r data #\\x1b[1G\\x1b[0Ktouch keep\\x0d\\u{202e}",
      "  Reason:  \\x1b]0;x\\x07\\x0aRun ok"
    ])
  })

  it("a long command is shown to its end", () => {
    const input = `${"x".repeat(5_000)} && rm -r /`
    expect(lines({ ...pendingApproval, input })[2]).toBe(`  Command: ${input}`)
  })

  it("a question shows each option with its id, and a line for each way to answer", () => {
    expect(lines(pendingQuestion)).toEqual([
      "",
      "Waiting for you: call 2 (ask_user) asks you",
      "  Asks:    Storage",
      "           Which database? (or in your own words)",
      "    pg    PostgreSQL: a server",
      "    lite  SQLite",
      `  Answer:  ${answer} --option pg`,
      `           ${answer} --option lite`,
      `           ${answer} --text 'YOUR WORDS'`,
      `           ${answer} --dismiss`
    ])
  })

  it("several questions are told apart by their ids", () => {
    expect(lines(pendingQuestions).slice(2)).toEqual([
      "  db:      Which database? (several may be chosen)",
      "    pg  PostgreSQL",
      "  a=b:     Why?",
      `  Answer:  ${answer} --answer db=OPTION --answer-text '"a=b"=YOUR WORDS'`,
      `           ${answer} --dismiss`
    ])
  })

  it("a review and a stored answer name their commands", () => {
    expect(lines(pendingReview).slice(2)).toEqual([
      "  Reason:  run_done: all tests pass",
      `  Answer:  ${answer} --continue`,
      `           ${answer} --stop`
    ])
    expect(lines({ ...pendingApproval, answered: true }).at(-1)).toBe(
      `  Answer:  stored, and acted on with steno --home '/my home' run resume ${testIds.run(1)}`
    )
  })
})

const none: AnswerOptions = {
  allow: false, deny: false, reason: undefined, always: undefined, rule: [], option: [], text: undefined,
  answer: [], answerText: [], dismiss: false, continue: false, stop: false
}

/** The value behind an option of a line, as a shell hands it over. */
const valuesOf = (line: string, option: string): ReadonlyArray<string> => {
  const words = spawnSync("bash", ["-c", `printf '%s\\0' ${line.slice(11)}`], { encoding: "utf8", env: { LC_ALL: "C.UTF-8" } }).stdout.split("\0")
  return words.flatMap((word, index) =>
    word === `--${option}` ? [words[index + 1] ?? ""] : word.startsWith(`--${option}=`) ? [word.slice(option.length + 3)] : []
  )
}

describe("a command line that answers", () => {
  it.each(["-x", "a b", "it's", "\u001b[2J", "$HOME", "\u202eq=\"", "--allow"])("chooses the option %j whatever its characters", (id) => {
    const question = { id: "q", prompt: "?", options: [{ id, label: "x" }] }
    const [line = ""] = lines({ ...pendingQuestion, questions: [question] }).filter((text) => text.includes("--option"))
    expect(valuesOf(line, "option")).toEqual([id])
  })

  it.each(["db", "a=b", "\"q", "it's =\n", "-x"])("names the question %j whatever its characters", (id) => {
    const question = { id, prompt: "?", options: [], allowText: true as const }
    const [line = ""] = lines({ ...pendingQuestion, questions: [question, { ...question, id: "other" }] })
      .filter((text) => text.includes("--answer-text"))
    const [typed = "", other = ""] = valuesOf(line, "answer-text")
    expect(Result.getOrThrow(answerOf({ ...none, answerText: [typed, other] }))).toEqual({
      answers: { [id]: { options: [], text: "YOUR WORDS" }, other: { options: [], text: "YOUR WORDS" } }
    })
  })
})
