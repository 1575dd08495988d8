import { expect, it } from "@effect/vitest"
import { CallId } from "@steno/contracts"
import { type ClientExecution, Diagnostics, type ExecutionAnswer, type ExecutionEnd, Secrets, TurnProducer } from "@steno/harness-seam"
import { makeRecordingTurnHost } from "@steno/harness-seam/testing"
import { Deferred, Effect } from "effect"
import { describe } from "vitest"
import { readTextFile, writeTextFile } from "./client-files.ts"
import { ClientTerminals, commandLine, lastBytes } from "./client-terminals.ts"

const producer = (execute: () => Effect.Effect<ExecutionAnswer>) => {
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

describe("a file", () => {
  it.effect("is read and written as one executed call each, joined to the agent's own report", () =>
    Effect.gen(function*() {
      const { executed, turn } = producer(() => Effect.succeed(execution("text", Effect.succeed(completed))))
      const itemId = turn.ids.fresh()
      const files = { turn, callFor: (path: string) => (path === "/b" ? itemId : undefined) }
      expect(yield* readTextFile(files, { path: "/a", line: 3, limit: 2 })).toEqual({ content: "text" })
      expect(yield* writeTextFile(files, { path: "/b", content: "" })).toEqual({})
      expect(executed()).toEqual([
        ["read", { path: "/a", offset: 3, limit: 2 }, undefined],
        ["write", { path: "/b", content: "" }, itemId]
      ])
    }))

  it.effect("that was not kept whole, not read, refused or not named is an error", () =>
    Effect.gen(function*() {
      const asked = (answer: ExecutionAnswer, params: { readonly path?: string }) => {
        const { turn } = producer(() => Effect.succeed(answer))
        return Effect.map(Effect.flip(readTextFile({ turn, callFor: () => undefined }, params)), ({ error }) => error.code)
      }
      const codes = yield* Effect.all([
        asked(execution("text", Effect.succeed(completed), true), { path: "/a" }),
        asked(execution("", Effect.succeed({ outcome: "failed" })), { path: "/a" }),
        asked(denied, { path: "/a" }),
        asked({ kind: "fenced" }, { path: "/a" }),
        asked(denied, {})
      ])
      expect(codes).toEqual([-32603, -32603, -32603, -32603, -32602])
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
