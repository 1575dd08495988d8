import { it } from "@effect/vitest"
import { Diagnostics } from "@steno/harness-seam"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { CodexConnection } from "./codex-connection.ts"
import { CodexSession } from "./codex-session.ts"
import { streamedProgram } from "./testing/streamed-program.ts"

const session =
  Effect.gen(function*() {
    const { program, received, say } = streamedProgram()
    const connection = yield* CodexConnection.over(program, new Diagnostics())
    const opened = new CodexSession(connection, { workspace: "/work", coordinate: undefined, model: undefined, config: {} })
    return { session: opened, received, answer: (id: number, result: object) => say(`${JSON.stringify({ id, ...result })}\n`) }
  })

const started = { id: 1, method: "thread/start", params: { cwd: "/work" } }
const resumed = (id: number, threadId: string) => ({ id, method: "thread/resume", params: { threadId, excludeTurns: true, cwd: "/work" } })

describe("a new thread that is asked for ahead", () => {
  it.live("is the one that the first Turn opens: it is asked for once", () =>
    Effect.gen(function*() {
      const { answer, received, session: { askAhead, open } } = yield* session
      yield* askAhead
      answer(1, { result: { thread: { id: "thread-1" } } })
      expect(yield* open(undefined)).toEqual({ threadId: "thread-1" })
      expect(yield* open(undefined)).toEqual({ threadId: "thread-1" })
      expect(received()).toEqual([started])
    }))

  it.live("is not taken for another one that a Turn asks for", () =>
    Effect.gen(function*() {
      const { answer, received, session: { askAhead, open } } = yield* session
      yield* askAhead
      answer(1, { result: { thread: { id: "thread-1" } } })
      const opening = yield* Effect.forkChild(open("thread-7"), { startImmediately: true })
      answer(2, { result: { thread: { id: "thread-7" } } })
      expect(yield* Fiber.join(opening)).toEqual({ threadId: "thread-7" })
      expect(received()).toEqual([started, resumed(2, "thread-7")])
    }))

  it.live("that is refused fails its Turn, and the next one asks anew", () =>
    Effect.gen(function*() {
      const { answer, session: { askAhead, open } } = yield* session
      yield* askAhead
      answer(1, { error: { code: -1, message: "no such folder" } })
      expect(yield* Effect.flip(open(undefined))).toMatchObject({ reason: "native", text: "no such folder" })
      const again = yield* Effect.forkChild(open(undefined), { startImmediately: true })
      answer(2, { result: { thread: { id: "thread-2" } } })
      expect(yield* Fiber.join(again)).toEqual({ threadId: "thread-2" })
    }))
})
