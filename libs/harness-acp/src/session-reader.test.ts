import { ItemIds, type TurnReport } from "@steno/harness-seam"
import { expect, it } from "vitest"
import { readPlainResult } from "./call-result.ts"
import { SessionReader } from "./session-reader.ts"

const reader = (past = new Set<string>()) => {
  const told: Array<TurnReport> = []
  const odd: Array<string> = []
  const reading = new SessionReader(
    { readResult: readPlainResult, offered: { files: false, terminals: false }, isOwn: () => false, thoughts: "private" },
    {
      ids: new ItemIds(),
      report: (report) => told.push(report),
      odd: (code) => odd.push(code),
      isTerminal: () => false,
      join: () => undefined,
      past
    }
  )
  return { reading, told, odd, past }
}

const chunk = (text: string, kind = "agent_message_chunk") => ({ sessionUpdate: kind, messageId: "m", content: { type: "text", text } })

it("thoughts of which nobody knows whom they are for are not told, and end a text", () => {
  const { reading, told } = reader()
  reading.update(chunk("one"))
  reading.update(chunk("secret", "agent_thought_chunk"))
  reading.update(chunk("two"))
  reading.close(true)
  expect(told.flatMap((report) => (report.type === "message" ? [report.content] : []))).toEqual(["one", "two"])
  expect(JSON.stringify(told)).not.toContain("secret")
})

it("a report of context replaces nothing where it is malformed, and nothing is calculated", () => {
  const { reading, told } = reader()
  for (const fields of [{ used: 1, size: 10 }, { used: -1, size: "many" }, { used: 1.5 }, { used: 2 }, {}]) {
    reading.update({ sessionUpdate: "usage_update", ...fields })
  }
  expect(told).toEqual([
    { type: "context", report: { usedTokens: 1, limitTokens: 10 } },
    { type: "context", report: { usedTokens: 2 } }
  ])
})

it("nothing is told once it is closed", () => {
  const { odd, reading, told } = reader()
  reading.close(false)
  reading.update(chunk("late"))
  expect(told).toEqual([])
  expect(odd).toEqual(["late-update"])
})

it("a text that the Turn cut off is left to be settled as incomplete", () => {
  const { reading, told } = reader()
  reading.update(chunk("half"))
  reading.close(false)
  expect(told.map(({ type }) => type)).toEqual(["message-delta"])
})

it("an update of a call of an earlier Turn is none of this one, its id announced anew is", () => {
  const first = reader()
  const call = { toolCallId: "c", title: "make", kind: "execute", status: "in_progress" }
  first.reading.update({ sessionUpdate: "tool_call", ...call })
  first.reading.close(true)
  const second = reader(first.past)
  second.reading.update({ sessionUpdate: "tool_call_update", ...call, status: "completed" })
  expect(second.told).toEqual([])
  expect(second.odd).toEqual(["late-update"])
  second.reading.update({ sessionUpdate: "tool_call", ...call })
  expect(second.told.map(({ type }) => type)).toEqual(["call-started"])
})

it("pieces that are no text and kinds that nobody knows change nothing", () => {
  const { odd, reading, told } = reader()
  reading.update({ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "" } })
  reading.update({ sessionUpdate: "of another version" })
  reading.update({})
  reading.update({ sessionUpdate: "current_mode_update" })
  expect(told).toEqual([])
  expect(odd).toEqual(["content-not-text", "unknown-update", "unknown-update"])
})
