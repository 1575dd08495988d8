import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { type JsonLine, JsonLineReader } from "./json-line-reader.ts"

const read = (text: string, limitBytes?: number): ReadonlyArray<JsonLine> => {
  const reader = new JsonLineReader(limitBytes)
  return [...reader.push(Buffer.from(text)), ...reader.end()]
}

const kinds = (lines: ReadonlyArray<JsonLine>) => lines.map((line) => (line.kind === "fault" ? line.reason : line.kind))

describe("JSON lines", () => {
  it("are messages, with what stood before the first one apart", () => {
    expect(read("Warning: slow\r\n\n{\"a\":1}\n\n[2]\r\n{\"u\":\"x\u2028y\"}")).toEqual([
      { kind: "preamble", text: "Warning: slow" },
      { kind: "message", value: { a: 1 }, text: "{\"a\":1}" },
      { kind: "message", value: [2], text: "[2]\r" },
      { kind: "message", value: { u: "x\u2028y" }, text: "{\"u\":\"x\u2028y\"}" }
    ])
  })

  it("say where bytes were replaced", () => {
    const reader = new JsonLineReader()
    expect(reader.push(Buffer.concat([Buffer.from("{\"a\":\""), Uint8Array.of(0xff), Buffer.from("\"}\n")]))).toEqual([
      { kind: "message", value: { a: "\ufffd" }, text: "{\"a\":\"\ufffd\"}", replaced: true }
    ])
  })

  it("take 64 lines of text first, not 65", () => {
    expect(kinds(read(`${"x\n".repeat(64)}{}\n`)).at(-1)).toBe("message")
    expect(kinds(read(`${"x\n".repeat(65)}{}\n`)).slice(-2)).toEqual(["preamble", "preamble-too-long"])
  })

  it("take 64 KiB of text first, newlines included, not a byte more", () => {
    expect(kinds(read(`${"x".repeat(65_535)}\n{}\n`))).toEqual(["preamble", "message"])
    expect(kinds(read(`${"x".repeat(65_536)}\n{}\n`))).toEqual(["preamble-too-long"])
  })

  it.each([
    ["a malformed object first", "{\"a\":\n{}\n"],
    ["a malformed array first", "[1,\n{}\n"],
    ["an object cut off by the end", "{\"a\":1"]
  ])("break at %s", (_, text) => {
    expect(kinds(read(text))).toEqual(["not-json"])
  })

  it("break at text after the first message", () => {
    expect(kinds(read("{}\noops\n{}\n"))).toEqual(["message", "not-json"])
  })

  it("break at a line above the limit, and nothing follows a fault", () => {
    const reader = new JsonLineReader(10)
    expect(kinds(reader.push(Buffer.from(`{}\n{"a":"${"x".repeat(20)}"}\n{}\n`)))).toEqual(["message", "line-too-long"])
    expect(reader.push(Buffer.from("{}\n"))).toEqual([])
    expect(reader.end()).toEqual([])
  })

  it("tell nothing of a line that broke them", () => {
    expect(JSON.stringify(read("{\"secret\": hunter2}\n"))).not.toContain("hunter2")
  })
})
