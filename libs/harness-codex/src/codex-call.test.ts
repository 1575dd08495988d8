import { ItemIds } from "@steno/harness-seam"
import { describe, expect, it } from "vitest"
import { callItem, callOutput, reportedCall } from "./codex-call.ts"

const ids = new ItemIds()

const reported = (fields: Readonly<Record<string, unknown>>) => {
  const item = callItem({ id: "native-a", ...fields })
  if (item === undefined) throw new Error("no call")
  return { call: reportedCall(item, ids.fresh(), true, undefined), output: callOutput(item) }
}
const printed = (aggregatedOutput: string) => reported({ type: "commandExecution", command: "make", status: "completed", aggregatedOutput })

const half = "x".repeat(512 * 1024)
const words = "... 267386880 bytes omitted ..."

describe("output that Codex left out", () => {
  it("is told in its own words, and the output stays as it came", () => {
    const { call, output } = printed(`${half}\n${words}\n${half}`)
    expect(call.nativeOmission).toBe(words)
    expect(output).toContain(words)
  })

  it("is not told of where a command itself prints such words", () => {
    expect(printed(`before\n${words}\nafter`).call).not.toHaveProperty("nativeOmission")
    expect(printed(`before\n${words}\n${half}`).call).not.toHaveProperty("nativeOmission")
    expect(printed(`before\n${words}\n${half}\n${words}\n${half}`).call.nativeOmission).toBe(words)
  })
})

describe("a tool that is not known", () => {
  it("is called by its name and arguments", () => {
    const { call } = reported({ type: "dynamicToolCall", status: "completed", tool: "lookup", arguments: { id: 7 } })
    expect(call).toMatchObject({ tool: "other", input: 'lookup · {"id":7}' })
  })

  it("is called by its kind where it has no name", () => {
    expect(reported({ type: "imageGeneration", status: "completed" }).call.input).toBe("imageGeneration")
  })
})
