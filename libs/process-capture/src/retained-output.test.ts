import { describe, expect, it } from "vitest"
import { retainedText, retainedWindowBytes } from "./retained-output.ts"

/** As the end of a file is read: its last bytes, cut where the window begins. */
const retained = (text: string) => {
  const bytes = Buffer.from(text)
  return retainedText({ bytes: bytes.subarray(-retainedWindowBytes), cut: bytes.length > retainedWindowBytes })
}

describe("retained text", () => {
  it.each([29_999, 30_000])("of %d units is whole", (units) => {
    expect(retained("a".repeat(units))).toEqual({ text: "a".repeat(units) })
  })

  it("of 30,001 units loses the first and says so", () => {
    expect(retained(`x${"a".repeat(30_000)}`)).toEqual({ text: "a".repeat(30_000), dropped: true })
  })

  it("never holds half of a pair: 29,999 units then", () => {
    const { text, dropped } = retained(`${"a".repeat(10)}${"😀".repeat(20_000)}b`)
    expect(text).toHaveLength(29_999)
    expect(text.isWellFormed()).toBe(true)
    expect(dropped).toBe(true)
  })

  it("of three-byte characters still reaches 30,000 units", () => {
    expect(retained("語".repeat(40_000)).text).toBe("語".repeat(30_000))
  })

  it("decodes invalid bytes to U+FFFD, a dangling start at the end to exactly one", () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62, 0xf0, 0x9f, 0x98])
    expect(retainedText({ bytes, cut: false })).toEqual({ text: "a\ufffdb\ufffd" })
  })

  it("keeps a byte order mark", () => {
    expect(retained("\ufeffa").text).toBe("\ufeffa")
  })
})
