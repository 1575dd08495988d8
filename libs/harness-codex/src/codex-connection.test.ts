import { it } from "@effect/vitest"
import { protocolLineLimits } from "@steno/contracts"
import { Diagnostics } from "@steno/harness-seam"
import { Deferred, Effect } from "effect"
import { Buffer } from "node:buffer"
import { describe, expect } from "vitest"
import { CodexConnection } from "./codex-connection.ts"
import type { CodexNotification } from "./codex-frame.ts"
import { streamedProgram } from "./testing/streamed-program.ts"

/** A connection that is listened to; `heard` resolves with all notifications before the one called `last`. */
const open = Effect.gen(function*() {
  const streamed = streamedProgram()
  const diagnostics = new Diagnostics()
  const connection = yield* CodexConnection.over(streamed.program, diagnostics)
  const notifications: Array<CodexNotification> = []
  const last = Deferred.makeUnsafe<ReadonlyArray<CodexNotification>>()
  connection.listen({
    notified: (notification) => {
      if (notification.method === "last") Deferred.doneUnsafe(last, Effect.succeed(notifications))
      else notifications.push(notification)
    },
    asked: ({ id, method }) => Effect.sync(() => connection.refuse(id, method))
  })
  return { ...streamed, connection, diagnostics, notifications, heard: Deferred.await(last) }
})

const line = (message: unknown) => `${JSON.stringify(message)}\n`
const last = line({ method: "last" })
const codes = (diagnostics: Diagnostics) => diagnostics.all().map(({ code }) => code)

describe("lines of Codex", () => {
  it.live("are the same at every split, U+2028 and all", () =>
    Effect.gen(function*() {
      const params = { text: "a\u2028b ü 😀" }
      const bytes = Buffer.from(`starting\n${line({ method: "x", params })}\r\n${line({ method: "y" })}${last}`)
      for (let at = 0; at <= bytes.length; at++) {
        const { heard, say } = yield* open
        say(bytes.subarray(0, at))
        yield* Effect.yieldNow
        say(bytes.subarray(at))
        expect(yield* heard).toEqual([
          { kind: "notification", method: "x", params },
          { kind: "notification", method: "y", params: undefined }
        ])
      }
    }))

  it.live("are the same byte by byte", () =>
    Effect.gen(function*() {
      const { heard, say } = yield* open
      for (const byte of Buffer.from(line({ method: "x", params: { text: "ü😀" } }) + last)) say(Uint8Array.of(byte))
      expect(yield* heard).toEqual([{ kind: "notification", method: "x", params: { text: "ü😀" } }])
    }))

  it.live("with bytes that are no UTF-8 are heard with replacements, and told", () =>
    Effect.gen(function*() {
      const { diagnostics, heard, say } = yield* open
      say(Buffer.concat([Buffer.from('{"method":"x","params":"'), Buffer.from([0xff]), Buffer.from('"}\n')]))
      say(last)
      expect(yield* heard).toEqual([{ kind: "notification", method: "x", params: "\ufffd" }])
      expect(codes(diagnostics)).toEqual(["invalid-utf8"])
    }))

  it.live("above the limit end the connection and answer whoever waits; nothing is heard behind them", () =>
    Effect.gen(function*() {
      const { connection, notifications, say } = yield* open
      const waiting = connection.request("turn/start", {})
      const [answer, end] = yield* Effect.all([
        waiting,
        connection.ended,
        Effect.sync(() => {
          say(line({ method: "x" }))
          say(`{"${"x".repeat(protocolLineLimits.lineBytes)}\n`)
          say(line({ method: "y" }))
        })
      ], { concurrency: "unbounded" })
      expect(end).toMatchObject({ kind: "fault", reason: "line-too-long" })
      expect(answer).toEqual({ kind: "ended", end })
      expect(notifications.map(({ method }) => method)).toEqual(["x"])
      expect(yield* connection.request("turn/start", {})).toEqual({ kind: "ended", end })
    }))

  it.live("that begin like a message and are none end the connection; what the program says then is drained", () =>
    Effect.gen(function*() {
      const { allRead, connection, say } = yield* open
      say("{broken\n")
      expect(yield* connection.ended).toMatchObject({ kind: "fault", reason: "not-json" })
      for (let kilobytes = 0; kilobytes < 256; kilobytes += 64) say("x".repeat(64 * 1024))
      yield* allRead
    }))
})

describe("messages of Codex", () => {
  it.live("that ask for what nobody knows are answered so", () =>
    Effect.gen(function*() {
      const { diagnostics, heard, received, say } = yield* open
      say(line({ id: "a", method: "item/tool/call", params: {} }) + last)
      yield* heard
      expect(received()).toEqual([{ id: "a", error: { code: -32_601, message: "Method not found" } }])
      expect(diagnostics.all()).toEqual([{ code: "unknown-request", text: "item/tool/call", count: 1 }])
    }))

  it.live("answer the request with their id, whatever comes between", () =>
    Effect.gen(function*() {
      const { connection, diagnostics, heard, received, say } = yield* open
      const [first, second] = yield* Effect.all([
        connection.request("a", {}),
        connection.request("b", {}),
        Effect.sync(() =>
          say(line({ id: 2, error: { code: -32_600, message: "no" } }) + line({ id: 9, result: 1 }) + line({ id: 1, result: 1 }) + last)
        )
      ], { concurrency: "unbounded" })
      yield* heard
      expect(first).toMatchObject({ kind: "answer", result: 1 })
      expect(second).toMatchObject({ kind: "refusal", code: -32_600, message: "no" })
      expect(received()).toEqual([{ id: 1, method: "a", params: {} }, { id: 2, method: "b", params: {} }])
      expect(codes(diagnostics)).toEqual(["unknown-answer"])
    }))

  it.live("that answer in a form which is not understood are an answer all the same", () =>
    Effect.gen(function*() {
      const { connection, diagnostics, heard, say } = yield* open
      const answers = yield* Effect.all([
        ...["a", "b", "c", "d"].map((method) => connection.request(method, {})),
        Effect.sync(() =>
          say(line({ id: 1, error: { message: "no" } }) + line({ id: 2, error: "no" }) + line({ id: 3 }) + line({ id: 4, result: 1, error: null }) + last)
        )
      ], { concurrency: "unbounded" })
      yield* heard
      expect(answers.slice(0, 4)).toEqual([
        { kind: "refusal", id: 1, code: -32_603, message: "no" },
        { kind: "refusal", id: 2, code: -32_603, message: "Codex gave no reason" },
        { kind: "answer", id: 3, result: undefined },
        { kind: "answer", id: 4, result: 1 }
      ])
      expect(codes(diagnostics)).toEqual([])
    }))

  it.live("are all heard before the end of a program that is gone", () =>
    Effect.gen(function*() {
      const { connection, exit, notifications, say } = yield* open
      say(line({ method: "x" }))
      yield* exit({ kind: "exited", code: 3 })
      expect(yield* connection.ended).toEqual({ kind: "exited", exit: { kind: "exited", code: 3 } })
      expect(notifications.map(({ method }) => method)).toEqual(["x"])
    }))
})
