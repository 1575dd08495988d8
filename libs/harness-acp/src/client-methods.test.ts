import { expect, it } from "@effect/vitest"
import { CallId } from "@steno/contracts"
import { type ClientExecution, Diagnostics, type ExecutionAnswer, type ExecutionEnd, Secrets, TurnProducer } from "@steno/harness-seam"
import { makeRecordingTurnHost } from "@steno/harness-seam/testing"
import { Deferred, Effect, type Schema } from "effect"
import { describe } from "vitest"
import { readTextFile, writeTextFile } from "./client-files.ts"
import { ClientTerminals, commandLine, lastBytes } from "./client-terminals.ts"
import { type JsonRecord, recordOf } from "./lenient-value.ts"

const producer = (execute: (tool: string, input: Schema.Json) => Effect.Effect<ExecutionAnswer>) => {
  const host = makeRecordingTurnHost({ execute })
  const turn = new TurnProducer({
    harness: { id: "acp", name: "ACP agent" },
    host,
    secrets: new Secrets([]),
    diagnostics: new Diagnostics(),
    sealed: () => undefined
  })
  const executed = () => host.journal.flatMap((entry) => (entry.kind === "execute" ? [[entry.tool, entry.input, entry.itemId]] : []))
  return { turn, executed }
}

const execution = (text: string, settled: Effect.Effect<ExecutionEnd>, dropped?: true): ClientExecution => ({
  kind: "started",
  callId: CallId.make("call_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
  output: () => ({ text, ...(dropped === undefined ? {} : { dropped }) }),
  cancel: Effect.void,
  settled
})

const completed: ExecutionEnd = { outcome: "completed", exitCode: 3 }
const denied: ExecutionAnswer = { kind: "denied", reason: "rule 1" }

describe("a terminal", () => {
  it.effect("is one executed call, with its output so far and then its end", () =>
    Effect.gen(function*() {
      const end = Deferred.makeUnsafe<ExecutionEnd>()
      const { executed, turn } = producer(() => Effect.succeed(execution("aé", Deferred.await(end))))
      const terminals = new ClientTerminals(turn)
      const terminal = yield* terminals.create({
        command: "git",
        args: ["commit", "-m", "it's"],
        cwd: "/work",
        env: [{ name: "A", value: "1" }, { name: "B" }],
        outputByteLimit: 2
      })
      expect(executed()).toEqual([["bash", { command: "git commit -m 'it'\\''s'", cwd: "/work", env: { A: "1" } }, undefined]])
      expect(yield* terminals.output(terminal)).toEqual({ output: "é", truncated: true })
      yield* Deferred.succeed(end, completed)
      expect(yield* terminals.waitForExit(terminal)).toEqual({ exitCode: 3, signal: null })
      expect(yield* terminals.output(terminal)).toMatchObject({ exitStatus: { exitCode: 3, signal: null } })
    }))

  it.effect("that was released is gone, and is still known as ours", () =>
    Effect.gen(function*() {
      const { turn } = producer(() => Effect.succeed(execution("", Effect.succeed(completed))))
      const terminals = new ClientTerminals(turn)
      const terminal = yield* terminals.create({ command: "make" })
      expect(yield* terminals.kill(terminal)).toEqual({})
      expect(yield* terminals.release(terminal)).toEqual({})
      expect((yield* Effect.flip(terminals.output(terminal))).error.code).toBe(-32602)
      expect(terminals.isOurs(String(terminal.terminalId))).toBe(true)
      expect(terminals.isOurs("another")).toBe(false)
    }))

  it.effect("that is refused is an error with the reason; without a command nothing is asked", () =>
    Effect.gen(function*() {
      const { executed, turn } = producer(() => Effect.succeed(denied))
      const terminals = new ClientTerminals(turn)
      expect((yield* Effect.flip(terminals.create({ command: "rm" }))).error).toEqual({ code: -32603, message: "Refused: rule 1" })
      expect((yield* Effect.flip(terminals.create({ command: " " }))).error.code).toBe(-32602)
      expect(executed()).toHaveLength(1)
    }))
})

/** What the host's `read` answers: of a file of numbered lines, or what is said of it. */
const reading = (lines: number, more: (input: JsonRecord) => JsonRecord = () => ({})) => (_: string, input: Schema.Json) => {
  const { limit, offset } = recordOf(input)
  const [first, end] = [Number(offset), Math.min(lines + 1, Number(offset) + Number(limit))]
  const content = Array.from({ length: Math.max(0, end - first) }, (_, at) => `${first + at}\n`).join("")
  const value = { kind: "text", content, firstLine: first, totalLines: lines, ...(end > lines ? {} : { nextLine: end }), ...more(recordOf(input)) }
  return Effect.succeed(execution("what is shown of it", Effect.succeed({ outcome: "completed", value })))
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join("")

const read = Effect.fnUntraced(function*(execute: Parameters<typeof producer>[0], params: JsonRecord) {
  const { executed, turn } = producer(execute)
  const answer = yield* Effect.result(readTextFile({ turn, callFor: () => undefined }, params))
  return { executed: executed(), answer: answer._tag === "Success" ? answer.success : answer.failure.error }
})

describe("a file that is read", () => {
  it.effect("is its text, not what is shown of it", () =>
    Effect.gen(function*() {
      expect((yield* read(reading(3), { path: "/a" })).answer).toEqual({ content: "1\n2\n3\n" })
      expect((yield* read(reading(0), { path: "/a" })).answer).toEqual({ content: "" })
    }))

  it.effect("is read from a line on, as many as were asked for", () =>
    Effect.gen(function*() {
      const { answer, executed } = yield* read(reading(9), { path: "/a", line: 3, limit: 2 })
      expect(answer).toEqual({ content: "3\n4\n" })
      expect(executed).toEqual([["read", { path: "/a", offset: 3, limit: 2 }, undefined]])
      expect((yield* read(reading(9), { path: "/a", line: 8, limit: null })).answer).toEqual({ content: "8\n9\n" })
      expect((yield* read(reading(9), { path: "/a", line: 8, limit: 0 })).answer).toEqual({ content: "" })
    }))

  it.effect("is whole however long it is, as many calls as it takes", () =>
    Effect.gen(function*() {
      const whole = yield* read(reading(4_500), { path: "/a" })
      expect(whole.answer).toEqual({ content: numbers(1, 4_500) })
      expect(whole.executed).toHaveLength(3)
      const part = yield* read(reading(9_000), { path: "/a", line: 5, limit: 2_001 })
      expect(part.answer).toEqual({ content: numbers(5, 2_005) })
      expect(part.executed).toHaveLength(2)
    }))

  it.effect("is refused where it changed between two calls, is no text, is one part of a line, or is too long", () =>
    Effect.gen(function*() {
      const oddities: ReadonlyArray<readonly [(input: JsonRecord) => JsonRecord, string]> = [
        [({ offset }) => (offset === 1 ? {} : { totalLines: 4_501 }), "changed"],
        [() => ({ kind: "image" }), "no text"],
        [() => ({ bytes: { from: 0, to: 5, total: 9 } }), "no text"],
        [() => ({ content: "x".repeat(5_000_000) }), "too long"]
      ]
      for (const [more, words] of oddities) {
        expect((yield* read(reading(4_500, more), { path: "/a" })).answer).toEqual({ code: -32603, message: expect.stringContaining(words) })
      }
    }))
})

describe("a file", () => {
  it.effect("is joined to the agent's own report by the first call for it", () =>
    Effect.gen(function*() {
      const { executed, turn } = producer(reading(2_001))
      const itemId = turn.ids.fresh()
      const files = { turn, callFor: () => itemId }
      yield* readTextFile(files, { path: "/b" })
      expect(yield* writeTextFile(files, { path: "/b", content: "" })).toEqual({})
      expect(executed()).toEqual([
        ["read", { path: "/b", offset: 1, limit: 2_000 }, itemId],
        ["read", { path: "/b", offset: 2_001, limit: 2_000 }, undefined],
        ["write", { path: "/b", content: "" }, itemId]
      ])
    }))

  it.effect("that failed is an error with the reason; refused, fenced, or not named, one too", () =>
    Effect.gen(function*() {
      const failed = execution("", Effect.succeed({ outcome: "failed", reason: "There is no file /a" }))
      const answers: ReadonlyArray<readonly [ExecutionAnswer, JsonRecord, number, string]> = [
        [failed, { path: "/a" }, -32603, "There is no file /a"],
        [execution("", Effect.succeed({ outcome: "cancelled" })), { path: "/a" }, -32603, "The read ended cancelled"],
        [denied, { path: "/a" }, -32603, "Refused: rule 1"],
        [{ kind: "fenced" }, { path: "/a" }, -32603, "The Run has another owner by now"],
        [denied, {}, -32602, "A file needs a path"]
      ]
      for (const [answer, params, code, message] of answers) {
        expect((yield* read(() => Effect.succeed(answer), params)).answer).toEqual({ code, message })
      }
      const { executed, turn } = producer(() => Effect.succeed(failed))
      const files = { turn, callFor: () => undefined }
      expect((yield* Effect.flip(writeTextFile(files, { path: "/a", content: "x" }))).error.message).toBe("There is no file /a")
      expect((yield* Effect.flip(writeTextFile(files, { path: "/a" }))).error.code).toBe(-32602)
      expect(executed()).toHaveLength(1)
    }))
})

it("a command without words is a line for the shell, one with words is quoted word by word", () => {
  expect(commandLine("make && make test", undefined)).toBe("make && make test")
  expect(commandLine("/bin/echo", ["a b", "$HOME", "plain-1.txt", ""])).toBe("/bin/echo 'a b' '$HOME' plain-1.txt ''")
})

it("the last bytes of a text begin with a whole character", () => {
  expect(lastBytes("abc", 3)).toEqual({ output: "abc", truncated: false })
  expect(lastBytes("a\u{1F600}b", 4)).toEqual({ output: "b", truncated: true })
  expect(lastBytes("abc", 0)).toEqual({ output: "", truncated: true })
})
