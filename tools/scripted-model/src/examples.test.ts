import { playStep, placeOf, type MessageFact } from "@steno/model-script"
import { Result } from "effect"
import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { readScript } from "./read-script.ts"

const folder = new URL("../examples/", import.meta.url)

/** Plays a script to its end as an agent would: every call gets the next of `results`, a text is followed by an input. */
const playToEnd = (name: string, results: ReadonlyArray<string>, requests: number) => {
  const script = readScript(new URL(name, folder))
  const messages: Array<MessageFact> = [{ role: "user", text: "go" }]
  const tools = ["bash", "read", "ls", "edit", "ask_user"]
  const left = [...results]
  const said: Array<string> = []
  let place = placeOf(script, { model: "m", system: "", tools, messages })
  for (let request = 0; request < requests; request += 1) {
    const { next, reply } = Result.getOrThrow(playStep(script, place, { model: "m", system: "", tools, messages }))
    place = next
    if (reply.kind === "error") {
      said.push(String(reply.error.status))
      continue
    }
    const calls = reply.content.flatMap((block) => (block.type === "call" ? [{ id: block.id, tool: block.tool }] : []))
    const text = reply.content.map((block) => (block.type === "text" ? block.text : "")).join("")
    said.push(calls.length === 0 ? text : calls.map(({ tool }) => tool).join("+"))
    messages.push({ role: "assistant", text, calls })
    for (const { id } of calls) messages.push({ role: "tool", callId: id, text: left.shift() ?? "ok" })
    if (calls.length === 0) messages.push({ role: "user", text: "go on" })
  }
  return said
}

const examples: Readonly<Record<string, readonly [results: ReadonlyArray<string>, said: ReadonlyArray<string>]>> = {
  "text-only.json": [[], ["Hello. What shall we do?", "Done.", "Done."]],
  "two-commands.json": [["a b", "broken\nExit code 3"], ["bash", "bash", "The second command failed after 3 steps."]],
  "parallel-tools.json": [[], ["read+bash+ls", "All three are settled."]],
  "edit.json": [["hello", "changed", "good morning"], ["read", "edit", "read", "The greeting is changed."]],
  "question.json": [["blue"], ["ask_user", "Not red, then: blue"]],
  "stalled-stream.json": [[], ["I begin to explain and then", "Here I am again."]],
  "provider-error.json": [[], ["529", "529", "At the third try."]],
  "hundred-commands.json": [[], [...Array.from({ length: 100 }, () => "bash"), "101 steps."]]
}

describe("an example", () => {
  it("is in the table below, whatever it is called", () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(examples).sort())
  })

  it.each(Object.entries(examples))("%s is a script and plays to its end", (name, [results, said]) => {
    expect(playToEnd(name, results, said.length)).toEqual(said)
  })
})
