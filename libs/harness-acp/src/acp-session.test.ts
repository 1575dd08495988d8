import { expect, it } from "@effect/vitest"
import { Diagnostics, type ModelChoice } from "@steno/harness-seam"
import { prepareOptions } from "@steno/harness-seam/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import type { NativeAnswer } from "./acp-message.ts"
import { AcpSession } from "./acp-session.ts"
import { type JsonRecord, recordOf, textOf } from "./lenient-value.ts"
import { recordedLines } from "./testing/replay.ts"

/** What the program of a recording said, by the process that said it. */
const saidBy = (scenario: string, process: number) =>
  recordedLines(scenario).filter((line) => line.process === process && line.direction === "out")
    .map(({ line }): JsonRecord => recordOf(JSON.parse(line)))

const sessionIdOf = (scenario: string): string => {
  const sent = recordedLines(scenario).filter(({ direction }) => direction === "in").map(({ line }) => recordOf(JSON.parse(line)))
  const loaded = sent.find(({ method }) => method === "session/load")
  return textOf(recordOf(loaded?.params).sessionId) ?? "none"
}

const opened = (sent: Array<JsonRecord> = []) => {
  const diagnostics = new Diagnostics()
  const session = new AcpSession({
    write: (line) => sent.push(recordOf(JSON.parse(line))),
    diagnostics,
    options: prepareOptions({ workspace: "/recorded/workspace" }),
    offered: { files: false, terminals: false }
  })
  return { session, diagnostics, sent }
}

const listener = () => {
  const updates: Array<JsonRecord> = []
  const choices: Array<ModelChoice> = []
  return {
    updates,
    choices,
    update: (update: JsonRecord) => updates.push(update),
    request: () => undefined,
    withdrawn: () => undefined,
    choice: (choice: ModelChoice) => choices.push(choice)
  }
}

/** Feeds what was said up to the answer with `id`, and that. */
const feed = (session: AcpSession, said: Array<JsonRecord>, id: number) => {
  for (let message = said.shift(); message !== undefined; message = said.shift()) {
    session.take(message)
    if (message.id === id && message.method === undefined) return
  }
}

describe("what a load replays is told to nobody", () => {
  for (const scenario of ["resume", "killed"]) {
    it.effect(scenario, () =>
      Effect.gen(function*() {
        const { session } = opened()
        const said = [...saidBy(scenario, 2)]
        const shaking = yield* Effect.forkChild(session.initialize, { startImmediately: true })
        feed(session, said, 1)
        yield* Fiber.join(shaking)
        const heard = listener()
        const loading = yield* Effect.forkChild(session.load(sessionIdOf(scenario)), { startImmediately: true })
        feed(session, said, 2)
        expect(yield* Fiber.join(loading)).toBeUndefined()
        expect(session.coordinate).toBe(sessionIdOf(scenario))
        session.listen(heard)
        const answers: Array<NativeAnswer> = []
        session.prompt("Go on.", (answer) => answers.push(answer))
        feed(session, said, 3)
        expect(heard.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
          "agent_message_chunk",
          "agent_message_chunk",
          "usage_update"
        ])
        expect(answers).toMatchObject([{ kind: "result", result: { stopReason: "end_turn" } }])
      }))
  }
})

it.effect("a session that is not there is not replaced", () =>
  Effect.gen(function*() {
    const { sent, session } = opened()
    const said = [...saidBy("resume-unknown", 1)]
    const shaking = yield* Effect.forkChild(session.initialize, { startImmediately: true })
    feed(session, said, 1)
    yield* Fiber.join(shaking)
    const loading = yield* Effect.forkChild(session.load("ses_gone"), { startImmediately: true })
    feed(session, said, 2)
    expect(yield* Fiber.join(loading)).toMatchObject({ reason: "native" })
    expect(session.coordinate).toBeUndefined()
    expect(sent.map(({ method }) => method)).toEqual(["initialize", "session/load"])
  }))

it.effect("an agent that cannot load is not asked to", () =>
  Effect.gen(function*() {
    const { sent, session } = opened()
    expect(yield* session.load("ses_any")).toMatchObject({ reason: "native" })
    expect(sent).toEqual([])
  }))

describe("the model", () => {
  const started = Effect.fnUntraced(function*() {
    const { sent, session } = opened()
    const said = [...saidBy("set-model", 1)]
    const shaking = yield* Effect.forkChild(session.initialize, { startImmediately: true })
    feed(session, said, 1)
    yield* Fiber.join(shaking)
    const opening = yield* Effect.forkChild(session.open, { startImmediately: true })
    feed(session, said, 2)
    expect(yield* Fiber.join(opening)).toBeUndefined()
    return { sent, session, said }
  })

  it.effect("is known from the session on, and told when it changes", () =>
    Effect.gen(function*() {
      const { said, session } = yield* started()
      expect(session.choice).toEqual({ model: "scripted/scripted-model", effort: "low" })
      const heard = listener()
      session.listen(heard)
      session.prompt("Which model?", () => undefined)
      feed(session, said, 3)
      const choosing = yield* Effect.forkChild(session.choose({ model: "scripted/other-model" }), { startImmediately: true })
      feed(session, said, 4)
      expect(yield* Fiber.join(choosing)).toBeUndefined()
      expect(heard.choices.map(({ model }) => model)).toEqual(["scripted/other-model"])
      expect(session.choice?.model).toBe("scripted/other-model")
    }))

  it.effect("that an agent does not set in time is refused; where it is set later all the same, that is known", () =>
    Effect.gen(function*() {
      const { said, session } = yield* started()
      session.prompt("Which model?", () => undefined)
      feed(session, said, 3)
      const choosing = yield* Effect.forkChild(session.choose({ model: "scripted/other-model" }), { startImmediately: true })
      yield* TestClock.adjust("60 seconds")
      expect(yield* Fiber.join(choosing)).toMatchObject({ reason: "native", text: "The agent set no model in time" })
      feed(session, said, 4)
      expect(session.choice?.model).toBe("scripted/other-model")
    }))

  it.effect("that is not offered is refused without asking", () =>
    Effect.gen(function*() {
      const { sent, session } = yield* started()
      expect(yield* session.choose({ model: "another/one" })).toMatchObject({ reason: "native" })
      expect(yield* session.choose({ model: "scripted/scripted-model", effort: "endless" })).toMatchObject({ reason: "native" })
      expect(yield* session.choose({ model: "scripted/scripted-model", effort: "low" })).toBeUndefined()
      expect(sent.map(({ method }) => method)).toEqual(["initialize", "session/new"])
    }))
})

describe("what is of no Turn", () => {
  const permission = { jsonrpc: "2.0", id: 7, method: "session/request_permission", params: { sessionId: "s", options: [] } }

  it("a permission outside a Turn is cancelled, another request refused, both at once", () => {
    const { diagnostics, sent, session } = opened()
    session.take(permission)
    session.take({ jsonrpc: "2.0", id: "eight", method: "terminal/create", params: { sessionId: "s", command: "make" } })
    expect(sent).toEqual([
      { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "cancelled" } } },
      { jsonrpc: "2.0", id: "eight", error: { code: -32601, message: "Not now: terminal/create" } }
    ])
    expect(diagnostics.all()).toMatchObject([{ code: "request-outside", count: 2 }])
  })

  it("what has no form, and answers to nothing, change nothing", () => {
    const { diagnostics, sent, session } = opened()
    for (const odd of [null, [], 5, "text", {}, { id: 3 }, { id: 99, result: {} }, { id: {}, result: {} }]) session.take(odd)
    session.take({ jsonrpc: "2.0", method: "_other/thing" })
    expect(sent).toEqual([])
    expect(diagnostics.all().map(({ code }) => code).toSorted()).toEqual([
      "malformed-message",
      "unasked-answer",
      "unknown-notification"
    ])
  })
})
