/**
 * The policy of `ask_user`: the answer itself; several answers by their question.
 *
 * Limits: a dismissal is stated, never an empty answer; the card shows the questions as whole as its bytes allow.
 */
import { type Candidate, makeCandidate, textBlock } from "./candidate.ts"
import { firstOf, wholeOf } from "./card-lines.ts"
import type { AskUserArguments, AskUserResult } from "./tool-results.ts"
import { byStrategy, type ValuePolicy } from "./tool-policy.ts"
import { visibleLines } from "./visible-lines.ts"

type Answer = Extract<AskUserResult, { readonly answers: unknown }>["answers"][number]

const dismissal = "The person dismissed the question without an answer."

const answerText = ({ options, text }: Answer): string =>
  [options.join(", "), text ?? ""].filter((part) => part !== "").join("\n") || "(nothing chosen)"

const answerLines = (result: AskUserResult): ReadonlyArray<string> => {
  if ("dismissed" in result) return [dismissal]
  const [only] = result.answers
  if (only === undefined) return ["(no answers)"]
  return result.answers.length === 1
    ? [answerText(only)]
    : result.answers.map((answer) => `${visibleLines(answer.key).join(" ")}: ${answerText(answer)}`)
}

const candidate = (result: AskUserResult): Candidate =>
  makeCandidate({ blocks: answerLines(result).map((line) => textBlock(line)) })

const questionLines = ({ header, options, prompt }: AskUserArguments["questions"][number]): ReadonlyArray<string> => [
  ...visibleLines(header === undefined ? prompt : `${header}: ${prompt}`),
  ...options.map(({ description, label }) =>
    visibleLines(description === undefined ? `- ${label}` : `- ${label}: ${description}`).join(" ")
  )
]

export const askUserPolicy: ValuePolicy<AskUserArguments, AskUserResult> = {
  kind: "value",
  profiles: ["human_response"],
  view: byStrategy("human_response", "head", candidate),
  card: ({ questions }, result) => ({
    arguments: wholeOf(questions.flatMap(questionLines)),
    result: firstOf(result === undefined ? [] : answerLines(result).flatMap(visibleLines), "lines"),
    first: "arguments"
  })
}
