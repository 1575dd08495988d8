import { ItemIds } from "@steno/harness-seam"
import { expect, it } from "vitest"
import { SessionTexts } from "./session-texts.ts"

const texts = () => new SessionTexts(new ItemIds())

const settled = (reports: ReturnType<SessionTexts["end"]>) =>
  reports.flatMap((report) => (report.type === "message" || report.type === "thought" ? [[report.type, report.content]] : []))

it("pieces of one id are one message, also where a call is updated in between", () => {
  const open = texts()
  open.chunk("message", "m", "one ")
  expect(open.interrupted()).toEqual([])
  open.chunk("message", "m", "text")
  expect(settled(open.end())).toEqual([["message", "one text"]])
})

it("without an id a message ends with the update of a call", () => {
  const open = texts()
  const [begun] = open.chunk("message", undefined, "one")
  expect(settled(open.interrupted())).toEqual([["message", "one"]])
  const [second] = open.chunk("message", undefined, "two")
  expect(second).not.toEqual({ ...begun, delta: "two" })
  expect(settled(open.end())).toEqual([["message", "two"]])
})

it("another id, a Thought, or a message after a Thought ends what was open", () => {
  const open = texts()
  open.chunk("message", "m", "one")
  expect(settled(open.chunk("message", "n", "two"))).toEqual([["message", "one"]])
  expect(settled(open.chunk("thought", "n", "three"))).toEqual([["message", "two"]])
  expect(settled(open.chunk("message", "n", "four"))).toEqual([["thought", "three"]])
})

it("what comes of an id after its text had ended is a block of its own", () => {
  const open = texts()
  const [first] = open.chunk("message", "m", "one")
  open.end()
  const [second] = open.chunk("message", "m", "two")
  expect([first, second]).toMatchObject([{ type: "message-delta" }, { type: "message-delta" }])
  expect(first?.type === "message-delta" && second?.type === "message-delta" && first.messageId !== second.messageId).toBe(true)
})

it("an empty piece is nothing", () => {
  const open = texts()
  expect(open.chunk("message", "m", "")).toEqual([])
  expect(open.end()).toEqual([])
})
