/**
 * A native permission as requests to people, and their answer in the program's words.
 *
 * Owns: what a person is shown, which decisions there are; a question of an agent is asked one by one.
 * Limits: what a server asks a person by a form or an address is declined at once, and told. An approval
 * is once for this call; the program's own lasting rules are not offered.
 */
import type { HarnessRequest, RequestAnswer } from "@steno/harness-seam"
import { type Fields, recordsAt, textAt } from "./frame-fields.ts"
import { toolWords } from "./tool-words.ts"
import type { NativePermission, TurnFact } from "./turn-fact.ts"

const [allow, deny] = ["allow", "deny"]

export const approvalRequest = ({ input, itemId, reason, toolName }: NativePermission): HarnessRequest => ({
  kind: "approval",
  itemId,
  description: [`${toolName}: ${toolWords(toolName, input).input}`, ...(reason === undefined ? [] : [reason])].join("\n"),
  decisions: [
    { id: allow, kind: "allow", label: "Allow" },
    { id: deny, kind: "deny", label: "Deny" }
  ]
})

const refusal = (answer: Extract<RequestAnswer, { readonly kind: "answered" }>): string =>
  answer.text ?? (answer.by === "person" ? "A person refused this call." : "The policy of this run refuses this call.")

/** Undefined: nobody answered. */
export const approvalResponse = (permission: NativePermission, answer: RequestAnswer): Fields | undefined => {
  if (answer.kind === "expired") return undefined
  return answer.decision === allow
    ? { behavior: "allow", updatedInput: permission.input }
    : { behavior: "deny", message: refusal(answer) }
}

export interface Question {
  /** As the program wants it back. */
  readonly text: string
  readonly request: HarnessRequest
  readonly labels: ReadonlyMap<string, string>
}

export const questionsOf = ({ input, itemId }: NativePermission): ReadonlyArray<Question> =>
  recordsAt(input, "questions").flatMap((asked) => {
    const text = textAt(asked, "question")
    if (text === undefined) return []
    const labels = recordsAt(asked, "options").flatMap((option) => textAt(option, "label") ?? [])
    const options = labels.map((label, at) => ({ id: `option-${at + 1}`, kind: "option" as const, label }))
    return [{
      text,
      labels: new Map(options.map(({ id, label }) => [id, label])),
      request: {
        kind: "clarification" as const,
        itemId,
        description: text,
        decisions: [...options, { id: deny, kind: "deny" as const, label: "Do not answer" }]
      }
    }]
  })

/** What a person said to one question; undefined where they did not want to say anything. */
export const questionAnswer = (question: Question, answer: RequestAnswer): string | undefined => {
  if (answer.kind === "expired" || answer.decision === deny) return undefined
  return answer.text ?? question.labels.get(answer.decision)
}

export const questionsResponse = (permission: NativePermission, answers: ReadonlyMap<string, string>): Fields => ({
  behavior: "allow",
  updatedInput: { ...permission.input, answers: Object.fromEntries(answers) }
})

export const unansweredResponse: Fields = { behavior: "deny", message: "The person does not want to answer." }

/** What a server of the program asks a person; it has no way to one. */
export const declined = (requestId: string, asked: Fields): ReadonlyArray<TurnFact> => {
  const [server, url] = [textAt(asked, "mcp_server_name"), textAt(asked, "url")]
  return [
    {
      kind: "report",
      report: {
        type: "elicitation-declined",
        message: textAt(asked, "message") ?? "",
        ...(server === undefined ? {} : { server }),
        ...(url === undefined ? {} : { url })
      }
    },
    { kind: "answer", requestId, response: { action: "decline" } }
  ]
}
