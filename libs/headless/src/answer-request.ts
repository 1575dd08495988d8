/**
 * Decides what `run answer` submits.
 *
 * Owns: which of its options are one answer, which exclude each other, how QUESTION=ANSWER is read.
 * Limits: pure; whether the answer fits what was asked is the application's to say.
 */
import type { AnswerInput, RuleScope } from "@steno/contracts"
import { Result } from "effect"
import { visibleLine } from "./visible-text.ts"
import { WrongUsage } from "./wrong-usage.ts"

export const answerPath = ["steno", "run", "answer"]

/** What was typed; an absent option is empty, false or undefined. */
export interface AnswerOptions {
  readonly allow: boolean
  readonly deny: boolean
  readonly reason: string | undefined
  readonly always: RuleScope | undefined
  /** From 1, as shown. */
  readonly rule: ReadonlyArray<number>
  readonly option: ReadonlyArray<string>
  readonly text: string | undefined
  /** `QUESTION=OPTION` */
  readonly answer: ReadonlyArray<string>
  /** `QUESTION=TEXT` */
  readonly answerText: ReadonlyArray<string>
  readonly dismiss: boolean
  readonly continue: boolean
  readonly stop: boolean
}

type Answer = AnswerInput["answer"]
type Decided<A> = Result.Result<A, WrongUsage>

const wrongUsage = (explanation: string, fields: ReadonlyArray<string>) =>
  Result.fail(new WrongUsage({ explanation, fields, commandPath: answerPath }))

/** The kinds of answers, each with the options that make it. */
const kindsOf = (options: AnswerOptions): ReadonlyArray<ReadonlyArray<string>> => {
  const typed = (names: Readonly<Record<string, boolean>>) => Object.entries(names).flatMap(([name, given]) => given ? [name] : [])
  return [
    typed({ allow: options.allow }),
    typed({ deny: options.deny }),
    typed({ option: options.option.length > 0, text: options.text !== undefined }),
    typed({ answer: options.answer.length > 0, "answer-text": options.answerText.length > 0 }),
    typed({ dismiss: options.dismiss }),
    typed({ continue: options.continue }),
    typed({ stop: options.stop })
  ].filter((names) => names.length > 0)
}

const allKinds = ["allow", "deny", "option", "text", "answer", "answer-text", "dismiss", "continue", "stop"]

const checkKind = (options: AnswerOptions): Decided<void> => {
  const kinds = kindsOf(options)
  const given = kinds.flat()
  if (kinds.length > 1) return wrongUsage(`${given.map((name) => `--${name}`).join(" and ")} exclude each other.`, given)
  return kinds.length === 1
    ? Result.void
    : wrongUsage(`Say the answer with one of ${allKinds.map((name) => `--${name}`).join(", ")}.`, allKinds)
}

const checkBeside = ({ allow, always, deny, reason, rule }: AnswerOptions): Decided<void> => {
  if (reason !== undefined && !allow && !deny) return wrongUsage("--reason goes with --allow or --deny.", ["reason"])
  if (always !== undefined && !allow) return wrongUsage("--always goes with --allow.", ["always"])
  if (rule.length > 0 && always === undefined) return wrongUsage("--rule says what --always keeps and needs it.", ["rule", "always"])
  return rule.every((ordinal) => ordinal >= 1) ? Result.void : wrongUsage("--rule is the number of a suggested rule, from 1.", ["rule"])
}

/** `QUESTION=…`: a question's id up to the first `=`; an id that holds one is written as a JSON string, quotes included. */
const namedAnswer = /^(?:("(?:[^"\\]|\\.)*")|([^="][^=]*))=([^]*)$/

const questionId = (plain: string | undefined, quoted: string | undefined): string | undefined => {
  if (quoted === undefined) return plain
  const parsed = Result.try((): unknown => JSON.parse(quoted))
  return Result.isSuccess(parsed) && typeof parsed.success === "string" && parsed.success !== "" ? parsed.success : undefined
}

interface Named {
  readonly question: string
  readonly value: string
}

const readNamed = (option: "answer" | "answer-text", typed: string): Decided<Named> => {
  const [, quoted, plain, value = ""] = namedAnswer.exec(typed) ?? []
  const question = questionId(plain, quoted)
  return question === undefined || value === ""
    ? wrongUsage(`"${visibleLine(typed)}" is not valid for --${option}: expected QUESTION=${option === "answer" ? "OPTION" : "TEXT"}.`, [option])
    : Result.succeed({ question, value })
}

const readAll = (option: "answer" | "answer-text", typed: ReadonlyArray<string>): Decided<ReadonlyArray<Named>> =>
  Result.all(typed.map((text) => readNamed(option, text)))

const answersOf = (options: AnswerOptions): Decided<Answer> =>
  Result.gen(function*() {
    const chosen = yield* readAll("answer", options.answer)
    const texts = yield* readAll("answer-text", options.answerText)
    const questions = [...new Set([...chosen, ...texts].map(({ question }) => question))]
    const twice = questions.find((id) => texts.filter(({ question }) => question === id).length > 1)
    if (twice !== undefined) return yield* wrongUsage(`--answer-text was given more than once for "${visibleLine(twice)}".`, ["answer-text"])
    return {
      answers: Object.fromEntries(questions.map((id) => {
        const text = texts.find(({ question }) => question === id)
        return [id, {
          options: chosen.flatMap(({ question, value }) => question === id ? [value] : []),
          ...(text === undefined ? {} : { text: text.value })
        }]
      }))
    }
  })

const approvalOf = ({ allow, always, reason, rule }: AnswerOptions): Answer => ({
  approval: {
    decision: allow ? "allow" : "deny",
    ...(reason === undefined ? {} : { reason }),
    ...(always === undefined ? {} : { scope: always }),
    ...(rule.length === 0 ? {} : { rules: [...new Set(rule)].map((ordinal) => ordinal - 1) })
  }
})

export const answerOf = (options: AnswerOptions): Decided<Answer> =>
  Result.gen(function*() {
    yield* checkKind(options)
    yield* checkBeside(options)
    if (options.allow || options.deny) return approvalOf(options)
    if (options.dismiss) return { dismissed: true }
    if (options.continue || options.stop) return { review: options.stop ? "stop" : "continue" }
    if (options.answer.length + options.answerText.length > 0) return yield* answersOf(options)
    return { only: { options: options.option, ...(options.text === undefined ? {} : { text: options.text }) } }
  })
