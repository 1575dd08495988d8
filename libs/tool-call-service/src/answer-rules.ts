/**
 * What an answer to an interaction may say, and which rules it keeps. Pure.
 *
 * Owns: that an answer fits its question, and in words why it does not; the rules an approval stands for.
 * Never owns: whether an answer is new, repeated or stale (ledger).
 */
import type {
  ApprovalAnswer,
  ApprovalRequest,
  InteractionAnswer,
  InteractionRequest,
  PolicyRule,
  Question,
  QuestionAnswer,
  UserInputAnswer
} from "@steno/contracts"

type Approval = ApprovalAnswer["approval"]

/** It would allow more than what asks now. */
const isOpenEnded = ({ command, host, path }: PolicyRule): boolean => [command, host, path].some((text) => text?.includes("*") === true)

/** The suggested rules that an approval keeps; empty: it keeps none. */
export const keptRules = ({ suggestedRules }: Pick<ApprovalRequest, "suggestedRules">, { decision, rules, scope }: Approval): ReadonlyArray<PolicyRule> => {
  if (decision !== "allow" || scope === undefined) return []
  return rules === undefined
    ? suggestedRules.filter((rule) => !isOpenEnded(rule))
    : suggestedRules.filter((_, index) => rules.includes(index))
}

/** Why an answer may not be stored: what does not fit, and what may be said instead, in whole sentences. */
export interface AnswerFault {
  readonly decision: "shape-mismatch" | "no-suggested-rule"
  readonly explanation: string
}

const mismatch = (explanation: string): AnswerFault => ({ decision: "shape-mismatch", explanation })

const noRule = (explanation: string): AnswerFault => ({ decision: "no-suggested-rule", explanation })

const approvalFault = (request: ApprovalRequest, approval: Approval): AnswerFault | undefined => {
  const { decision, rules, scope } = approval
  const suggested = request.suggestedRules.length
  if (decision === "deny") return scope === undefined && rules === undefined ? undefined : mismatch("A rule is kept only where a call is allowed.")
  if (scope === undefined) return rules === undefined ? undefined : mismatch("Rules are named, but not where they are kept.")
  if (suggested === 0) return noRule("It suggests no rule that could be kept; it can be allowed this once.")
  const missing = rules?.find((index) => index >= suggested)
  if (missing !== undefined) return mismatch(`It suggests no rule ${missing + 1}; it suggests ${suggested === 1 ? "only rule 1" : `rules 1 to ${suggested}`}.`)
  return keptRules(request, approval).length === 0
    ? noRule(`None of the rules it suggests names exactly what asks; which one is kept has to be said, by its number from 1 to ${suggested}.`)
    : undefined
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === ""

const quoted = (text: string): string => JSON.stringify(text)

/** A question that has no options is answered in words. */
const choicesOf = ({ options }: Question): string =>
  options.length === 0
    ? "it has no options and is answered in words"
    : `its options are ${options.map(({ id, label }) => `${quoted(id)} (${label})`).join(", ")}`

const questionFault = (question: Question, { options, text }: QuestionAnswer): AnswerFault | undefined => {
  const name = `question ${quoted(question.id)}`
  const offered = new Set(question.options.map(({ id }) => id))
  const mayBeText = question.allowText === true || question.options.length === 0
  const unknown = options.find((id) => !offered.has(id))
  if (unknown !== undefined) return mismatch(`${quoted(unknown)} names no single option of ${name}; ${choicesOf(question)}.`)
  const twice = options.find((id, index) => options.indexOf(id) !== index)
  if (twice !== undefined) return mismatch(`Option ${quoted(twice)} of ${name} is chosen more than once.`)
  if (options.length > 1 && question.multiSelect !== true) return mismatch(`Of the options of ${name} only one may be chosen; ${choicesOf(question)}.`)
  if (text !== undefined && !mayBeText) return mismatch(`To ${name} no words of one's own may be said; ${choicesOf(question)}.`)
  return options.length > 0 || !isBlank(text) ? undefined : mismatch(`The answer to ${name} is blank; ${choicesOf(question)}.`)
}

const questionsFault = (questions: ReadonlyArray<Question>, answer: UserInputAnswer): AnswerFault | undefined => {
  if ("dismissed" in answer) return undefined
  const given = new Map(Object.entries(answer.answers))
  const ids = questions.map(({ id }) => id)
  const unknown = [...given.keys()].find((id) => !ids.includes(id))
  if (unknown !== undefined) return mismatch(`It asks no question ${quoted(unknown)}; it asks ${ids.map(quoted).join(", ")}.`)
  for (const question of questions) {
    const own = given.get(question.id)
    if (own === undefined) return mismatch(`Question ${quoted(question.id)} is not answered; all questions of a call are answered at once.`)
    const fault = questionFault(question, own)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Why an answer may not be stored; undefined: it fits. */
export const answerFault = (request: InteractionRequest, answer: InteractionAnswer): AnswerFault | undefined => {
  if (request.kind === "approval") {
    return "approval" in answer ? approvalFault(request, answer.approval) : mismatch("It asks for approval, and is allowed or denied.")
  }
  return "approval" in answer
    ? mismatch("It asks a question, and is neither allowed nor denied: it is answered or dismissed.")
    : questionsFault(request.questions, answer)
}
