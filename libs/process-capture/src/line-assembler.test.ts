import { describe, expect, it } from "vitest"
import { type Emission, LineAssembler, type Source } from "./line-assembler.ts"
import { countLineFeeds } from "./line-feeds.ts"

const assembled = (run: (push: (source: Source, text: string) => void, flush: (source: Source) => void) => void) => {
  const assembler = new LineAssembler(8)
  let output = ""
  const take = (emission: Emission | undefined) => {
    if (emission === undefined) return
    if (emission.addsNewline) output += "⏎"
    for (const { bytes } of emission.pieces) output += Buffer.from(bytes).toString()
  }
  run(
    (source, text) => take(assembler.push(source, Buffer.from(text), countLineFeeds(Buffer.from(text)))),
    (source) => take(assembler.flush(source))
  )
  return output
}

describe("line assembly", () => {
  it("does not let the other stream break a line", () => {
    expect(assembled((push) => {
      push("stdout", "ab")
      push("stderr", "x\n")
      push("stdout", "c\n")
    })).toBe("x\nabc\n")
  })

  it("puts a newline between a flushed partial line and the other stream, and the rest on a line of its own", () => {
    expect(assembled((push, flush) => {
      push("stdout", "ab")
      flush("stdout")
      push("stderr", "x\n")
      push("stdout", "c\n")
    })).toBe("ab⏎x\nc\n")
  })

  it("adds nothing when the same stream goes on after a flush", () => {
    expect(assembled((push, flush) => {
      push("stdout", "ab")
      flush("stdout")
      push("stdout", "c\n")
      push("stderr", "x\n")
    })).toBe("abc\nx\n")
  })

  it("lets a partial line above the limit go at once", () => {
    expect(assembled((push) => push("stdout", "123456789"))).toBe("123456789")
    expect(assembled((push) => push("stdout", "12345678"))).toBe("")
  })

  it("two flushed partial lines are separated once", () => {
    expect(assembled((push, flush) => {
      push("stdout", "a")
      push("stderr", "b")
      flush("stdout")
      flush("stderr")
    })).toBe("a⏎b")
  })
})
