import { type ItemId, ItemIds, type RequestAnswer } from "@steno/harness-seam"
import { describe, expect, it } from "vitest"
import { codexFrame } from "./codex-frame.ts"
import { codexQuestion, type RequestItems } from "./codex-request.ts"
import { recordedLines } from "./testing/codex-recordings.ts"

const ids = new ItemIds()
const call = (nativeItemId: string): ItemId => ids.named("call", nativeItemId)
const items: RequestItems = {
  agentCallServer: "steno",
  callId: (_, nativeItemId) => call(nativeItemId),
  runningMcpCall: (server, tool) => call(`${server}/${tool ?? ""}`)
}
const answered = (decision: string, text?: string): RequestAnswer => ({
  kind: "answered",
  decision,
  by: "person",
  ...(text === undefined ? {} : { text })
})
const expired: RequestAnswer = { kind: "expired" }

/** What the program asked in that recording, and what its client answered. */
const exchanges = (name: string) => {
  const lines = recordedLines(name).filter(({ direction }) => direction !== "err")
  const answers = lines.filter(({ direction }) => direction === "in").map(({ line }) => codexFrame(JSON.parse(line)))
  return lines.filter(({ direction }) => direction === "out").flatMap(({ line }) => {
    const frame = codexFrame(JSON.parse(line))
    if (frame.kind !== "request") return []
    const answer = answers.find((one) => one.kind === "answer" && one.id === frame.id)
    return [{ question: codexQuestion(frame.method, frame.params, items), answer: answer?.kind === "answer" ? answer.result : undefined }]
  })
}

const asked = (question: ReturnType<typeof codexQuestion>) => {
  if (question.kind !== "ask") throw new Error(`not asked: ${question.kind}`)
  return question
}

describe("approvals", () => {
  it("of input to a command that runs say so", () => {
    const params = { threadId: "thread", itemId: "a", kind: "writeStdin", command: "y\n" }
    const [request] = asked(codexQuestion("item/commandExecution/requestApproval", params, items)).requests
    expect(request?.description).toBe("Input to a command that runs:\ny\n")
  })

  it("are answered in the recorded words when they are allowed, and belong to their call", () => {
    const [command, file] = exchanges("approval").map(({ answer, question }) => ({ answer, question: asked(question) }))
    expect(command?.question.requests).toEqual([{
      kind: "approval",
      itemId: call("call_1_1"),
      description: "May I?\n/bin/bash -lc 'touch allowed.txt && echo touched'",
      decisions: [
        { id: "allow", kind: "allow", label: "Allow" },
        { id: "allow-always-1", kind: "allow-always", label: "Always allow touch allowed.txt" },
        { id: "deny", kind: "deny", label: "Deny" }
      ]
    }])
    expect(command?.question.result([answered("allow")])).toEqual(command?.answer)
    expect(file?.question.requests[0]?.itemId).toBe(call("call_2_0"))
    expect(file?.question.result([answered("allow")])).toEqual(file?.answer)
  })

  it("are declined in the recorded words, and what expired is cancelled", () => {
    for (const { answer, question } of exchanges("declined-tool")) {
      expect(asked(question).result([answered("deny")])).toEqual(answer)
      expect(asked(question).result([expired])).toEqual({ decision: "cancel" })
    }
    for (const { answer, question } of exchanges("cancelled-approval")) {
      expect(asked(question).result([expired])).toEqual(answer)
    }
  })

  it("of a rule give the rule back as it was offered", () => {
    const [first] = exchanges("approval")
    expect(first && asked(first.question).result([answered("allow-always-1")])).toEqual({
      decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["touch", "allowed.txt"] } }
    })
  })

  it("of permissions grant what was asked for, for the Turn or the session, or nothing", () => {
    const permissions = { network: { enabled: true } }
    const question = asked(codexQuestion("item/permissions/requestApproval", { threadId: "t", itemId: "i", permissions, reason: null }, items))
    expect(question.result([answered("allow")])).toEqual({ permissions, scope: "turn" })
    expect(question.result([answered("allow-session")])).toEqual({ permissions, scope: "session" })
    expect(question.result([answered("deny")])).toEqual({ permissions: {}, scope: "turn" })
    expect(question.result([expired])).toEqual({ permissions: {}, scope: "turn" })
  })

  it("of an MCP call are asked with its arguments and answered in the recorded words", () => {
    const [greet, refuse] = exchanges("mcp-tool")
    expect(greet && asked(greet.question).requests[0]).toMatchObject({
      itemId: call("greeter/greet"),
      description: 'Allow the greeter MCP server to run tool "greet"?\n{"name":"Ada"}'
    })
    expect(greet && asked(greet.question).result([answered("allow")])).toEqual(greet?.answer)
    expect(refuse && asked(refuse.question).result([answered("deny")])).toEqual({ action: "decline", content: null })
  })

  it("that are malformed are declined without asking", () => {
    expect(codexQuestion("item/commandExecution/requestApproval", { threadId: 1 }, items)).toEqual({
      kind: "answer",
      result: { decision: "decline" }
    })
  })
})

describe("questions", () => {
  it("are answered by the label of the option, or by words of one's own", () => {
    const [first] = exchanges("question")
    const question = first && asked(first.question)
    expect(question?.requests).toEqual([{
      kind: "clarification",
      description: "Which colour?",
      decisions: [
        { id: "option-1", kind: "option", label: "Blue" },
        { id: "option-2", kind: "option", label: "Red" },
        { id: "other", kind: "option", label: "Another answer" }
      ]
    }])
    expect(question?.result([answered("option-1")])).toEqual(first?.answer)
    expect(question?.result([answered("other", "green")])).toEqual({ answers: { colour: { answers: ["green"] } } })
    expect(question?.result([expired])).toEqual({ answers: {} })
  })

  it("for a secret are not asked", () => {
    const questions = [{ id: "key", question: "Which key?", isSecret: true }]
    expect(codexQuestion("item/tool/requestUserInput", { threadId: "t", itemId: "i", questions }, items)).toEqual({
      kind: "answer",
      result: { answers: {} }
    })
  })
})

describe("elicitations", () => {
  it("of forms and addresses are declined and told", () => {
    expect(codexQuestion("mcpServer/elicitation/request", { serverName: "s", message: "Log in", url: "https://x" }, items)).toEqual({
      kind: "answer",
      result: { action: "decline", content: null },
      report: { type: "elicitation-declined", server: "s", message: "Log in", url: "https://x" }
    })
  })

  it("of Steno's own server are accepted unasked", () => {
    const params = { serverName: "steno", _meta: { codex_approval_kind: "mcp_tool_call" } }
    expect(codexQuestion("mcpServer/elicitation/request", params, items)).toEqual({
      kind: "answer",
      result: { action: "accept", content: {} }
    })
  })
})

it("a request that is not known is nobody's to answer", () => {
  expect(codexQuestion("item/tool/call", {}, items)).toEqual({ kind: "unknown" })
})
