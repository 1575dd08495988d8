import { Buffer } from "node:buffer"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LineReader, type ReadLine } from "./line-reader.ts"

const read = (pieces: ReadonlyArray<Uint8Array>, limitBytes?: number): ReadonlyArray<ReadLine> => {
  const reader = new LineReader(limitBytes)
  const lines = pieces.flatMap((piece) => [...reader.push(piece)])
  const last = reader.end()
  return last === undefined ? lines : [...lines, last]
}

const texts = (lines: ReadonlyArray<ReadLine>) => lines.map((line) => (line.kind === "line" ? line.text : line.sizeBytes))

const splitAt = (bytes: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((place, index) => bytes.slice(places[index], place))
}

const lineText = fc.string({ unit: "binary", maxLength: 30 }).map((text) => text.toWellFormed().replaceAll("\n", "\u2028"))

describe("lines", () => {
  it("are the same at every single split of bytes with U+2028, U+0085, carriage returns and characters of four bytes", () => {
    const wanted = ["{\"a\":\"x\u2028y\u0085z\"}", "", "😀 é\r", "last"]
    const bytes = Buffer.from(wanted.join("\n"))
    for (let at = 0; at <= bytes.length; at++) {
      expect(texts(read([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(wanted)
    }
    expect(texts(read([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(wanted)
  })

  it("come back as they were written, however the stream is split", () => {
    fc.assert(fc.property(fc.array(lineText, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (wanted, cuts) => {
      const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(""))
      expect(texts(read(splitAt(bytes, cuts)))).toEqual(wanted)
    }))
  })

  it("of any bytes at all are told alike at every split, with bytes that are not UTF-8 replaced and said", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
      const whole = read([bytes])
      expect(read(splitAt(bytes, cuts))).toEqual(whole)
      for (const line of whole) if (line.kind === "line" && line.replaced) expect(line.text).toContain("\ufffd")
    }))
    expect(read([Uint8Array.of(0x61, 0xff, 0x0a, 0xe2, 0x82)])).toEqual([
      { kind: "line", text: "a\ufffd", sizeBytes: 2, replaced: true },
      { kind: "line", text: "\ufffd", sizeBytes: 2, replaced: true }
    ])
  })

  it("above the limit are skipped and counted, the next one is read", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 40 }), fc.array(fc.nat(), { maxLength: 6 }), (size, cuts) => {
      const bytes = Buffer.from(`${"x".repeat(size)}\nnext\n`)
      expect(texts(read(splitAt(bytes, cuts), 20))).toEqual([size > 20 ? size : "x".repeat(size), "next"])
    }))
  })

  it("of 64 MiB leave no more than the limit in memory and are said", () => {
    const reader = new LineReader()
    const block = new Uint8Array(1024 * 1024).fill(0x78)
    for (let sent = 0; sent < 64; sent++) expect(reader.push(block)).toEqual([])
    expect(reader.push(Uint8Array.of(0x0a))).toEqual([{ kind: "skipped", sizeBytes: 64 * 1024 * 1024 }])
  })
})
