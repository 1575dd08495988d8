/**
 * What a Run asks of a person, and the exact command lines that answer it.
 *
 * Owns: what is shown before somebody decides: the whole command, why it asks, the rules that an answer may keep, the questions.
 * Limits: nothing of a command is removed or shortened.
 */
import { type PendingInteraction, type Question, type RunSnapshot, visibleCommand } from "@steno/contracts"
import { ruleText } from "./rule-text.ts"
import { shellLine } from "./shell-words.ts"
import { visibleLine } from "./visible-text.ts"

type Lines = ReadonlyArray<string>
type Pending = PendingInteraction

/** `label` in front of the first line, the others under it. */
const labelled = (label: string, lines: Lines): Lines =>
  lines.map((line, index) => `  ${(index === 0 ? label : "").padEnd(9)}${line}`.trimEnd())

const commandLines = (text: string): Lines => visibleCommand(text).replaceAll("\r\n", "\\x0d\n").split("\n")

/** Only what asks, where that is not the whole command. */
const askingLines = ({ input, segments = [] }: Pending): Lines => {
  const asking = segments.filter(({ decision }) => decision === "approval")
  return segments.length === 1 && segments[0]?.text === input
    ? []
    : labelled("Asks:", asking.map(({ reason, text }) => visibleLine(visibleCommand(`${text} (${reason})`))))
}

const ruleLines = ({ suggestedRules = [] }: Pending): Lines =>
  labelled("Rules:", suggestedRules.map((rule, index) => `${index + 1}  ${ruleText(rule)}`))

const optionLines = (question: Question): Lines => {
  const width = Math.max(0, ...question.options.map(({ id }) => visibleLine(id).length))
  return question.options.map(({ description, id, label }) =>
    `    ${visibleLine(id).padEnd(width)}  ${visibleLine(label)}${description === undefined ? "" : `: ${visibleLine(description)}`}`
  )
}

const questionNotes = ({ allowText, multiSelect, options }: Question): string => {
  const notes = [
    ...(multiSelect === true ? ["several may be chosen"] : []),
    ...(allowText === true && options.length > 0 ? ["or in your own words"] : [])
  ]
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`
}

const questionLines = (questions: ReadonlyArray<Question>): Lines =>
  questions.flatMap((question) => [
    ...labelled(questions.length === 1 ? "Asks:" : `${visibleLine(question.id)}: `, [
      ...(question.header === undefined ? [] : [visibleLine(question.header)]),
      ...commandLines(question.prompt)
    ]).map((line, index, all) => index === all.length - 1 ? line + questionNotes(question) : line),
    ...optionLines(question)
  ])

/** An id with `=` in it, or that begins with a quote, is written as a JSON string. */
const questionWord = (id: string): string => /[="]/.test(id) ? JSON.stringify(id) : id

/** A value that would pass for an option is tied to its own. */
const withValue = (option: string, value: string): Lines => value.startsWith("-") ? [`${option}=${value}`] : [option, value]

/** What stands behind RUN and CALL for each way to answer. */
const questionAnswers = (questions: ReadonlyArray<Question>): ReadonlyArray<Lines> => {
  const [only, second] = questions
  if (only !== undefined && second === undefined) {
    return [
      ...only.options.map(({ id }) => withValue("--option", id)),
      ...(only.allowText === true ? [["--text", "YOUR WORDS"]] : []),
      ["--dismiss"]
    ]
  }
  const each = questions.flatMap(({ id, options }) =>
    options.length === 0
      ? withValue("--answer-text", `${questionWord(id)}=YOUR WORDS`)
      : withValue("--answer", `${questionWord(id)}=OPTION`)
  )
  return [each, ["--dismiss"]]
}

const approvalAnswers = ({ suggestedRules = [] }: Pending): ReadonlyArray<Lines> => [
  ["--allow"],
  ["--deny", "--reason", "WHY"],
  ...(suggestedRules.length === 0 ? [] : [["--allow", "--always", "session"]]),
  ...(suggestedRules.length < 2 ? [] : [["--allow", "--always", "session", "--rule", "1"]])
]

const answersOf = (pending: Pending): ReadonlyArray<Lines> => {
  switch (pending.kind) {
    case "approval":
      return approvalAnswers(pending)
    case "question":
      return questionAnswers(pending.questions ?? [])
    case "review":
      return [["--continue"], ["--stop"]]
  }
}

const kindWords: Record<Pending["kind"], string> = { approval: "asks for approval", question: "asks you", review: "is held for you" }

const aboutLines = (pending: Pending): Lines => {
  switch (pending.kind) {
    case "approval":
      return [
        ...(pending.input === undefined ? [] : labelled(pending.tool === "bash" ? "Command:" : "Input:", commandLines(pending.input))),
        ...labelled("Reason:", [visibleLine(pending.reason)]),
        ...askingLines(pending),
        ...ruleLines(pending)
      ]
    case "question":
      return pending.questions === undefined ? labelled("Asks:", [visibleLine(pending.reason)]) : questionLines(pending.questions)
    case "review":
      return labelled("Reason:", [visibleLine(pending.reason)])
  }
}

/** @param program the words that a further command for the same home begins with */
export const pendingLines = (run: RunSnapshot, program: ReadonlyArray<string>): Lines =>
  run.pending.flatMap((pending) => {
    const call = run.calls.find(({ callId }) => callId === pending.callId)
    const tool = visibleLine(pending.tool ?? call?.tool ?? "")
    const who = call === undefined ? `Run ${run.runId}` : `call ${call.ordinal} (${tool})`
    const asking = pending.callId ?? pending.requestId
    const target = [...program, "run", "answer", run.runId, ...(asking === undefined ? [] : ["--call", asking])]
    return [
      "",
      `Waiting for you: ${who} ${kindWords[pending.kind]}`,
      ...aboutLines(pending),
      ...(pending.answered === true
        ? labelled("Answer:", [`stored, and acted on with ${shellLine([...program, "run", "resume", run.runId])}`])
        : labelled("Answer:", answersOf(pending).map((words) => shellLine([...target, ...words]))))
    ]
  })
