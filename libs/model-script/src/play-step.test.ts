import type { ModelScript } from "@steno/contracts"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { type PlayedStep, playStep } from "./play-step.ts"
import type { MessageFact, RequestFacts } from "./request-facts.ts"
import { firstPlace, placeOf, type ScriptPlace } from "./script-place.ts"

const text = (words: string) => ({ answer: { content: [{ type: "text" as const, text: words }] } })
const bash = (command: string) => ({ answer: { content: [{ type: "call" as const, tool: "bash", arguments: { command } }] } })
const user = (words: string): MessageFact => ({ role: "user", text: words })
const called = (id: string, tool = "bash"): MessageFact => ({ role: "assistant", text: "", calls: [{ id, tool }] })
const result = (callId: string, words: string): MessageFact => ({ role: "tool", callId, text: words })
const asked = (...messages: ReadonlyArray<MessageFact>): RequestFacts => ({ model: "scripted", system: "You are terse.", tools: ["bash", "read"], messages })

const play = (script: ModelScript, place: ScriptPlace, facts: RequestFacts): PlayedStep => Result.getOrThrow(playStep(script, place, facts))

const playAll = (script: ModelScript, requests: number): ReadonlyArray<PlayedStep> => {
  const steps: Array<PlayedStep> = []
  for (let place = firstPlace; steps.length < requests; place = steps.at(-1)?.next ?? place) steps.push(play(script, place, asked(user("go"))))
  return steps
}

const firstText = ({ reply }: PlayedStep): string | undefined => {
  const block = reply.kind === "answer" ? reply.content[0] : undefined
  return block === undefined || block.type === "call" ? block?.argumentsText : block.text
}

describe("playing a script", () => {
  it("answers one request per step, in order, and says so when none is left", () => {
    const script = { steps: [text("one"), text("two")] }
    const [first, second] = playAll(script, 2)
    expect([first, second].map((step) => step && firstText(step))).toEqual(["one", "two"])
    const after = playStep(script, second?.next ?? firstPlace, asked(user("go")))
    expect(Result.isFailure(after) && after.failure.message).toBe("script mismatch at the end, after step 2: no step is left for a further request")
  })

  it("fills in step, round, the newest result and its digest, also inside arguments, once", () => {
    const script: ModelScript = {
      steps: [{
        times: 2,
        answer: { content: [{ type: "call", tool: "bash", arguments: { command: "echo {{step}}.{{round}} {{result}}", env: [{ d: "{{digest}}" }], n: 3 } }] }
      }]
    }
    const { next, reply } = play(script, { index: 0, rounds: 1, played: 4 }, asked(user("go"), called("a"), result("a", "{{step}}")))
    expect(reply).toMatchObject({
      content: [{
        id: "call_5_0",
        argumentsText: JSON.stringify({
          command: "echo 5.2 {{step}}",
          env: [{ d: "3d5ba0bad98c26dfb3949b87c5a39b12c89ddd016e9e90d77cd0caeb159e16b8" }],
          n: 3
        })
      }]
    })
    expect(next).toEqual({ index: 1, rounds: 0, played: 5 })
  })

  it("leaves other words in double braces alone", () => {
    const script = { steps: [text("docker ps --format '{{.Names}}' {{Step}}")] }
    expect(firstText(play(script, firstPlace, asked(user("go"))))).toBe("docker ps --format '{{.Names}}' {{Step}}")
  })

  it("stops for calls where there is one, and as the script says where it says so", () => {
    const script: ModelScript = { steps: [bash("ls"), text("done"), { answer: { content: [], stop: "length", usage: { outputTokens: 7 } } }] }
    expect(playAll(script, 3).map(({ reply }) => reply.kind === "answer" && [reply.stop, reply.usage.outputTokens])).toEqual([
      ["calls", 10],
      ["end", 10],
      ["length", 7]
    ])
  })

  it("repeats a step so many times, or always, with ids that never repeat", () => {
    const script: ModelScript = { steps: [{ ...bash("true"), times: 2 }, { ...bash("false"), times: "always" }] }
    const ids = playAll(script, 50).flatMap(({ reply }) => (reply.kind === "answer" ? reply.content.map((block) => block.type === "call" && block.id) : []))
    expect(new Set(ids).size).toBe(50)
    expect(playAll(script, 3).map(firstText)).toEqual(["true", "true", "false"].map((command) => JSON.stringify({ command })))
  })

  it("answers with an error where a step is one", () => {
    const script: ModelScript = { steps: [{ error: { status: 529 } }, text("ok")] }
    expect(playAll(script, 2).map(({ reply }) => reply.kind)).toEqual(["error", "answer"])
  })
})

describe("an expectation", () => {
  const facts = asked(user("Fix the test"), called("a"), called("b", "read"), result("a", "exit code 1"), result("b", "line 7"))
  const faultsOf = (expectation: NonNullable<Extract<ModelScript["steps"][number], { answer: unknown }>["expect"]>) => {
    const outcome = playStep({ steps: [{ ...text("ok"), expect: expectation }] }, firstPlace, facts)
    return Result.isFailure(outcome) ? outcome.failure.faults : []
  }

  it.each([
    { system: "terse" },
    { contains: "Fix the" },
    { results: [{ tool: "bash", contains: "exit code 1" }, { tool: "read" }, { contains: "line 7" }] },
    { resultCount: 2, messageCount: 5 },
    { tools: ["read", "bash"] },
    { model: "script" },
    {}
  ])("%j holds", (expectation) => {
    expect(faultsOf(expectation)).toEqual([])
  })

  it.each([
    [{ system: "verbose" }, "the system prompt does not contain \"verbose\""],
    [{ input: "Fix" }, "the new input does not contain \"Fix\""],
    [{ contains: "nowhere" }, "no message contains \"nowhere\""],
    [{ results: [{ tool: "read", contains: "exit code 1" }] }, "no new tool result of read contains \"exit code 1\""],
    [{ results: [{ tool: "grep" }] }, "no new tool result of grep"],
    [{ resultCount: 1 }, "2 new tool results instead of 1"],
    [{ messageCount: 1 }, "5 messages instead of 1"],
    [{ tools: ["edit"] }, "no tool edit is offered"],
    [{ model: "opus" }, "the model's name does not contain \"opus\""]
  ])("%j does not hold, and the mismatch says why", (expectation, fault) => {
    expect(faultsOf(expectation)).toEqual([fault])
  })

  it("names each one that does not hold, and never quotes the request", () => {
    expect(faultsOf({ input: "x", messageCount: 2 })).toHaveLength(2)
    expect(faultsOf({ input: "x", contains: "y", system: "z" }).join()).not.toMatch(/Fix|exit code|terse/)
  })
})

describe("alternatives and asides", () => {
  const script: ModelScript = {
    steps: [{
      name: "react",
      times: "always",
      oneOf: [{ ...text("passed"), expect: { results: [{ contains: "exit code 0" }] } }, { ...bash("npm test"), name: "else", expect: { input: "test" } }]
    }],
    asides: [{ ...text("A title"), expect: { system: "title" } }]
  }

  it("the first alternative whose expectation holds answers", () => {
    const first = play(script, firstPlace, asked(user("test it")))
    expect(first.reply).toMatchObject({ step: "step 1 (react), alternative 2 (else)" })
    const second = play(script, first.next, asked(user("test it"), called("call_1_0"), result("call_1_0", "exit code 0")))
    expect(firstText(second)).toBe("passed")
  })

  it("none of them is a mismatch that names them all, and the place stays", () => {
    const outcome = playStep(script, firstPlace, asked(user("sing")))
    expect(Result.isFailure(outcome) && outcome.failure.message).toBe(
      "script mismatch at step 1 (react): alternative 1: no new tool result contains \"exit code 0\"; alternative 2 (else): the new input does not contain \"test\""
    )
  })

  it("an aside answers without using up a step", () => {
    const { next, reply } = play(script, firstPlace, { ...asked(user("test it")), system: "Write a title" })
    expect(reply).toMatchObject({ step: "aside 1", content: [{ text: "A title" }] })
    expect(next).toEqual(firstPlace)
  })
})

describe("a conversation met in the middle", () => {
  it("goes on behind the answers it holds, past an error between them", () => {
    const script: ModelScript = { steps: [{ ...bash("a"), times: 2 }, { error: { status: 500 } }, text("b"), text("c")] }
    const facts = (answers: number) => asked(user("go"), ...Array.from({ length: answers }, (_, n) => [called(`${n}`), result(`${n}`, "")]).flat())
    expect([0, 1, 2, 3].map((answers) => placeOf(script, facts(answers)))).toEqual([
      firstPlace,
      { index: 0, rounds: 1, played: 1 },
      { index: 1, rounds: 0, played: 2 },
      { index: 3, rounds: 0, played: 4 }
    ])
  })

  it("takes several assistant messages in a row for one answer", () => {
    expect(placeOf({ steps: [bash("a"), text("b")] }, asked(user("go"), called("a"), called("b"), result("a", ""), result("b", "")))).toMatchObject({ index: 1 })
  })

  it("ends at an endless step that leaves nothing behind", () => {
    expect(placeOf({ steps: [{ error: { status: 500 }, times: "always" }] }, asked(user("go"), called("a")))).toEqual(firstPlace)
  })
})
