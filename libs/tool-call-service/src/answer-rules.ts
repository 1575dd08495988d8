/**
 * What an answer to an interaction may say, and which rules it keeps. Pure.
 *
 * Owns: that an answer fits its question; the rules an approval stands for.
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

export type AnswerFault = "shape-mismatch" | "no-suggested-rule"

const approvalFault = (request: ApprovalRequest, approval: Approval): AnswerFault | undefined => {
  const { decision, rules, scope } = approval
  if (decision === "deny") return scope === undefined && rules === undefined ? undefined : "shape-mismatch"
  if (scope === undefined) return rules === undefined ? undefined : "shape-mismatch"
  if (request.suggestedRules.length === 0) return "no-suggested-rule"
  if (rules?.some((index) => index >= request.suggestedRules.length) === true) return "shape-mismatch"
  return keptRules(request, approval).length === 0 ? "no-suggested-rule" : undefined
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === ""

/** A question that has no options is answered in words. */
const answersQuestion = (question: Question, { options, text }: QuestionAnswer): boolean => {
  const offered = new Set(question.options.map(({ id }) => id))
  const isChosenOnce = new Set(options).size === options.length && options.every((id) => offered.has(id))
  const mayBeText = question.allowText === true || question.options.length === 0
  return isChosenOnce &&
    (question.multiSelect === true || options.length <= 1) &&
    (text === undefined || mayBeText) &&
    (options.length > 0 || !isBlank(text))
}

const answersAll = (questions: ReadonlyArray<Question>, answer: UserInputAnswer): boolean => {
  if ("dismissed" in answer) return true
  const given = Object.entries(answer.answers)
  return given.length === questions.length && questions.every((question) => {
    const own = given.find(([id]) => id === question.id)?.[1]
    return own !== undefined && answersQuestion(question, own)
  })
}

/** Why an answer may not be stored; undefined: it fits. */
export const answerFault = (request: InteractionRequest, answer: InteractionAnswer): AnswerFault | undefined => {
  if (request.kind === "approval") return "approval" in answer ? approvalFault(request, answer.approval) : "shape-mismatch"
  return !("approval" in answer) && answersAll(request.questions, answer) ? undefined : "shape-mismatch"
}
