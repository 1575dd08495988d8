/**
 * What Codex asks its client, as questions for the host, and the host's answers in Codex's words.
 *
 * Owns: which decisions there are, the form of each answer, the form for one that expired, what is declined unasked.
 * Never owns: asking (codex-drive).
 */
import type { HarnessRequest, ItemId, RequestAnswer, RequestDecision, TurnReport } from "@steno/harness-seam"
import { Schema } from "effect"

export type CodexQuestion =
  | {
    readonly kind: "ask"
    /** One after the other. */
    readonly requests: ReadonlyArray<HarnessRequest>
    /** The result for Codex; as many answers as requests, fewer where one expired. */
    readonly result: (answers: ReadonlyArray<RequestAnswer>) => unknown
  }
  | { readonly kind: "answer"; readonly result: unknown; readonly report?: TurnReport }
  | { readonly kind: "unknown" }

/** How native names are items of the Turn. */
export interface RequestItems {
  readonly agentCallServer: string
  readonly callId: (threadId: string, nativeItemId: string) => ItemId
  readonly runningMcpCall: (server: string, tool: string | undefined) => ItemId | undefined
}

const optional = Schema.optionalKey(Schema.Unknown)
const ofItem = { threadId: Schema.String, itemId: Schema.String }
const isText = Schema.is(Schema.NonEmptyString)

const isCommandApproval = Schema.is(Schema.Struct({ ...ofItem, kind: optional, command: optional, reason: optional, availableDecisions: optional }))
const isFileApproval = Schema.is(Schema.Struct({ ...ofItem, reason: optional, grantRoot: optional }))
const isPermissionApproval = Schema.is(Schema.Struct({ ...ofItem, permissions: Schema.Unknown, reason: optional }))
const isInputRequest = Schema.is(Schema.Struct({
  ...ofItem,
  questions: Schema.Array(Schema.Struct({
    id: Schema.String,
    question: Schema.String,
    isOther: optional,
    isSecret: optional,
    options: optional
  }))
}))
const isOption = Schema.is(Schema.Struct({ label: Schema.String, description: optional }))
const isElicitation = Schema.is(Schema.Struct({ serverName: Schema.String, message: optional, url: optional, _meta: optional }))
const isToolApproval = Schema.is(Schema.Struct({
  codex_approval_kind: Schema.Literal("mcp_tool_call"),
  tool_name: optional,
  tool_params: optional
}))
const isAmendment = Schema.is(Schema.Struct({
  acceptWithExecpolicyAmendment: Schema.Struct({ execpolicy_amendment: Schema.Array(Schema.String) })
}))

const once: RequestDecision = { id: "allow", kind: "allow", label: "Allow" }
const refuse: RequestDecision = { id: "deny", kind: "deny", label: "Deny" }
const session: RequestDecision = { id: "allow-session", kind: "allow-always", label: "Allow for this session" }

const lines = (...parts: ReadonlyArray<unknown>): string => parts.filter(isText).join("\n")
const decisionOf = (answers: ReadonlyArray<RequestAnswer>): string | undefined => {
  const [answer] = answers
  return answer?.kind === "answered" ? answer.decision : undefined
}

/** Chosen decision to native one; whatever else is a refusal, nothing at all a cancellation. */
const approval = (
  request: Omit<HarnessRequest, "kind" | "decisions">,
  choices: ReadonlyArray<readonly [RequestDecision, unknown]>
): CodexQuestion => ({
  kind: "ask",
  requests: [{ kind: "approval", ...request, decisions: [...choices.map(([decision]) => decision), refuse] }],
  result: (answers) => {
    const decision = decisionOf(answers)
    const chosen = choices.find(([{ id }]) => id === decision)
    return { decision: decision === undefined ? "cancel" : chosen === undefined ? "decline" : chosen[1] }
  }
})

const commandApproval = (params: unknown, items: RequestItems): CodexQuestion => {
  if (!isCommandApproval(params)) return { kind: "answer", result: { decision: "decline" } }
  const offered = Array.isArray(params.availableDecisions) ? params.availableDecisions : []
  const amendments = offered.filter(isAmendment).map((decision, at): readonly [RequestDecision, unknown] => [{
    id: `allow-always-${at + 1}`,
    kind: "allow-always",
    label: `Always allow ${decision.acceptWithExecpolicyAmendment.execpolicy_amendment.join(" ")}`
  }, decision])
  return approval({
    itemId: items.callId(params.threadId, params.itemId),
    description: lines(params.reason, params.kind === "writeStdin" ? "Input to a command that runs:" : undefined, params.command) ||
      "Codex asks to run a command"
  }, [
    [once, "accept"],
    ...(offered.includes("acceptForSession") ? [[session, "acceptForSession"] as const] : []),
    ...amendments
  ])
}

const fileApproval = (params: unknown, items: RequestItems): CodexQuestion => {
  if (!isFileApproval(params)) return { kind: "answer", result: { decision: "decline" } }
  const root = isText(params.grantRoot) ? `Writing below ${params.grantRoot} is asked for` : undefined
  return approval({
    itemId: items.callId(params.threadId, params.itemId),
    description: lines(params.reason, root) || "Codex asks to change files"
  }, [[once, "accept"], [session, "acceptForSession"]])
}

const nothingGranted = { permissions: {}, scope: "turn" }

const permissionApproval = (params: unknown, items: RequestItems): CodexQuestion => {
  if (!isPermissionApproval(params)) return { kind: "answer", result: nothingGranted }
  const { permissions } = params
  return {
    kind: "ask",
    requests: [{
      kind: "approval",
      itemId: items.callId(params.threadId, params.itemId),
      description: lines(params.reason, `Permissions: ${JSON.stringify(permissions)}`),
      decisions: [once, session, refuse]
    }],
    result: (answers) => {
      const decision = decisionOf(answers)
      if (decision === once.id) return { permissions, scope: "turn" }
      return decision === session.id ? { permissions, scope: "session" } : nothingGranted
    }
  }
}

const otherAnswer: RequestDecision = { id: "other", kind: "option", label: "Another answer" }

/** What was asked as a secret is not asked: answers are stored. */
const inputRequest = (params: unknown): CodexQuestion => {
  if (!isInputRequest(params)) return { kind: "answer", result: { answers: {} } }
  const asked = params.questions.filter(({ isSecret }) => isSecret !== true).map(({ id, isOther, options, question }) => {
    const labels = Array.isArray(options) ? options.filter(isOption).map(({ label }) => label) : []
    const choices = labels.map((label, at): RequestDecision => ({ id: `option-${at + 1}`, kind: "option", label }))
    const free = isOther === true || choices.length === 0
    const request: HarnessRequest = {
      kind: "clarification",
      description: question,
      decisions: [...choices, ...(free ? [otherAnswer] : [])]
    }
    return { id, labels, choices, request }
  })
  if (asked.length === 0) return { kind: "answer", result: { answers: {} } }
  return {
    kind: "ask",
    requests: asked.map(({ request }) => request),
    result: (answers) => ({
      answers: Object.fromEntries(asked.flatMap(({ choices, id, labels }, at) => {
        const answer = answers[at]
        if (answer?.kind !== "answered") return []
        const chosen = labels[choices.findIndex((choice) => choice.id === answer.decision)]
        const text = answer.text ?? ""
        return [[id, { answers: [chosen, text].filter(isText) }]]
      }))
    })
  }
}

const declined = { action: "decline", content: null }

const elicitation = (params: unknown, items: RequestItems): CodexQuestion => {
  if (!isElicitation(params)) return { kind: "answer", result: declined }
  const { _meta: meta, message, serverName: server, url } = params
  if (!isToolApproval(meta)) {
    return {
      kind: "answer",
      result: declined,
      report: {
        type: "elicitation-declined",
        server,
        message: isText(message) ? message : "",
        ...(isText(url) ? { url } : {})
      }
    }
  }
  if (server === items.agentCallServer) return { kind: "answer", result: { action: "accept", content: {} } }
  const itemId = items.runningMcpCall(server, isText(meta.tool_name) ? meta.tool_name : undefined)
  return {
    kind: "ask",
    requests: [{
      kind: "approval",
      ...(itemId === undefined ? {} : { itemId }),
      description: lines(message, meta.tool_params === undefined ? undefined : JSON.stringify(meta.tool_params)),
      decisions: [once, refuse]
    }],
    result: (answers) => {
      const decision = decisionOf(answers)
      if (decision === undefined) return { action: "cancel", content: null }
      return decision === once.id ? { action: "accept", content: {} } : declined
    }
  }
}

export const codexQuestion = (method: string, params: unknown, items: RequestItems): CodexQuestion => {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return commandApproval(params, items)
    case "item/fileChange/requestApproval":
      return fileApproval(params, items)
    case "item/permissions/requestApproval":
      return permissionApproval(params, items)
    case "item/tool/requestUserInput":
      return inputRequest(params)
    case "mcpServer/elicitation/request":
      return elicitation(params, items)
    default:
      return { kind: "unknown" }
  }
}
