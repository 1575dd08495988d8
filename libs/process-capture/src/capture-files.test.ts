import { expect, it } from "@effect/vitest"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { CapturedCommands } from "./captured-commands.ts"
import { CaptureFiles, type PageRequest, type VerifiedFile } from "./capture-files.ts"
import { defaultCaps } from "./capture-caps.ts"
import { encodeHeader } from "./tail-segment.ts"

const root = mkdtempSync(join(tmpdir(), "capture-files-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const folder = (files: Readonly<Record<string, string | Buffer>>): string => {
  const directory = mkdtempSync(join(root, "c-"))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}
const page = Effect.fnUntraced(function*(stdout: string | Buffer, request: Partial<PageRequest> = {}) {
  const files = yield* CaptureFiles
  return yield* files.page({ directory: folder({ "stdout.txt": stdout }), stream: "stdout", closed: true, ...request })
})
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

const layer = Layer.mergeAll(CaptureFiles.layer, CapturedCommands.layerNoDeps).pipe(Layer.provideMerge(ProcessHost.layer))

it.layer(layer, { excludeTestServices: true })("CaptureFiles", (it) => {
  it.effect("without an offset a page is the last lines", () =>
    Effect.gen(function*() {
      const read = yield* page(numbered(250), { limit: 3 })
      expect(read).toMatchObject({ totalLines: 250, offset: 247, endOffset: 250, complete: true, lines: ["248", "249", "250"] })
      expect(read).not.toHaveProperty("nextOffset")
      expect((yield* page(numbered(250))).lines).toHaveLength(100)
    }))

  it.effect("a page in the middle of a large file begins at its line", () =>
    Effect.gen(function*() {
      const read = yield* page(numbered(200_000), { offset: 123_455, limit: 2 })
      expect(read).toMatchObject({ lines: ["123456", "123457"], nextOffset: 123_457, complete: false, totalBytes: 1_288_895 })
    }))

  it.effect("beyond the end a page is empty and echoes its offset; a running capture may go on", () =>
    Effect.gen(function*() {
      for (const offset of [3, 10]) {
        const closed = yield* page("a\nb\nc\n", { offset })
        expect(closed).toMatchObject({ totalLines: 3, offset, endOffset: offset, lines: [], complete: true })
        expect(closed).not.toHaveProperty("nextOffset")
        expect(yield* page("a\nb\nc\n", { offset, closed: false })).toMatchObject({ nextOffset: offset, complete: false, lines: [] })
      }
    }))

  it.effect("a last line without line feed is a line; CR is hidden only before LF", () =>
    Effect.gen(function*() {
      expect((yield* page("a\r\nb\rc\nlast\r")).lines).toEqual(["a", "b\rc", "last\r"])
      expect((yield* page("\n\n")).lines).toEqual(["", ""])
      expect(yield* page("")).toMatchObject({ totalLines: 0, lines: [], complete: true })
    }))

  it.effect("invalid bytes are U+FFFD, a dangling start is exactly one, U+2028 ends no line", () =>
    Effect.gen(function*() {
      const bytes = Buffer.from([0x61, 0xff, 0x0a, 0xe2, 0x80, 0xa8, 0x0a, 0xf0, 0x9f, 0x98])
      expect((yield* page(bytes)).lines).toEqual(["a\ufffd", "\u2028", "\ufffd"])
    }))

  it.effect("a line above 64 KiB is cut between characters and listed with its whole length", () =>
    Effect.gen(function*() {
      const long = `x${"é".repeat(40_000)}`
      const read = yield* page(`short\n${long}\r\nend`)
      expect(read.truncatedLines).toEqual([{ line: 1, bytes: 80_001 }])
      expect(read.lines[1]).toBe(`x${"é".repeat(32_767)}`)
      expect([read.lines[0], read.lines[2], read.totalLines]).toEqual(["short", "end", 3])
      expect((yield* page("y".repeat(65_536))).truncatedLines).toEqual([])
    }))

  it.effect.each([
    ["offset", { offset: -1 }],
    ["offset", { offset: 1.5 }],
    ["limit", { limit: 0 }],
    ["limit", { limit: 501 }],
    ["limit", { limit: 1.5 }]
  ] as const)("%s out of range is refused", ([field, request]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(page("a\n", request))
      expect(error.reason).toMatchObject({ _tag: "PageOutOfRange", field })
    }))

  it.effect("output without a file of its own is the only stream that printed", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const request = { stream: "output", closed: false } as const
      const directory = folder({ "stdout.txt": "", "stderr.txt": "err\n" })
      expect(yield* files.page({ ...request, directory })).toMatchObject({ lines: ["err"], path: join(directory, "stderr.txt") })
      const nothing = yield* files.page({ ...request, closed: true, directory: folder({}) })
      expect(nothing).toMatchObject({ totalLines: 0, complete: true })
      expect(nothing).not.toHaveProperty("path")
    }))

  /** What a store would hand over, with what was read of it. */
  const verified = (text: string, identity: string) => {
    const bytes = Buffer.from(text)
    const reads: Array<number> = []
    const file: VerifiedFile<"changed"> = {
      path: "/home/data/stdout.txt",
      sizeBytes: bytes.length,
      identity,
      read: (block, position) =>
        Effect.sync(() => {
          reads.push(position)
          return bytes.copy(block, 0, position)
        })
    }
    return { file, reads }
  }

  it.effect("a page of a verified file is read through its store alone, its lines are counted once", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const text = numbered(200_000)
      const { file, reads } = verified(text, "stamp-1")
      const request = { offset: 199_998, limit: 5, droppedBytes: 7 }
      const read = yield* files.pageOf(file, request)
      expect(read).toMatchObject({ lines: ["199999", "200000"], totalLines: 200_000, totalBytes: text.length, complete: true, droppedBytes: 7, path: file.path })
      const counted = reads.length
      expect(yield* files.pageOf(file, request)).toEqual(read)
      expect(reads.length - counted).toBeLessThan(counted)
      const changed = verified(`${text}more\n`, "stamp-2")
      expect(yield* files.pageOf(changed.file, request)).toMatchObject({ totalLines: 200_001, lines: ["199999", "200000", "more"] })
    }))

  it.effect("a page of a verified file fails as its store does, and with a range that is none", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const { file } = verified("a\nb\n", "stamp-3")
      expect(yield* Effect.flip(files.pageOf({ ...file, read: () => Effect.fail("changed" as const) }, { droppedBytes: 0 }))).toBe("changed")
      expect(yield* Effect.flip(files.pageOf(file, { limit: 0, droppedBytes: 0 }))).toMatchObject({ reason: { _tag: "PageOutOfRange" } })
    }))

  it.effect("a link in place of a capture file is not followed", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const directory = folder({})
      symlinkSync("/etc/passwd", join(directory, "stdout.txt"))
      const error = yield* Effect.flip(files.page({ directory, stream: "stdout", closed: true }))
      expect(error.reason).toMatchObject({ _tag: "CaptureFailed", code: "ELOOP" })
    }))

  it.effect("bytes are the stored ones, in parts, and empty without a file", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const content = Buffer.from(numbered(200_000))
      const directory = folder({ "stdout.txt": content })
      const parts = yield* Stream.runCollect(files.bytes({ directory, stream: "stdout", closed: false }))
      expect(Buffer.concat(parts).equals(content)).toBe(true)
      expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(256 * 1024)
      expect(yield* Stream.runCollect(files.bytes({ directory, stream: "stderr", closed: false }))).toEqual([])
    }))

  it.effect("a closed file is read alone, also where a segment of its tail could not be removed", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const tail = Buffer.concat([Buffer.alloc(defaultCaps.tailBytes, "x"), encodeHeader({ ordinal: 1, lineFeedsBefore: 0, length: 5 })])
      const directory = folder({ "stdout.txt": "whole\n", "stdout.txt.tail-b": tail })
      const read = (closed: boolean) =>
        Effect.map(Stream.runCollect(files.bytes({ directory, stream: "stdout", closed })), (parts) => Buffer.concat(parts).toString())
      expect(yield* read(true)).toBe("whole\n")
      expect(yield* read(false)).toBe("whole\nxxxxx")
    }))

  it.effect("pages of a growing file go on where they ended, also through a partial line", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const directory = folder({ "stdout.txt": `${numbered(100_000)}par` })
      const request = { directory, stream: "stdout", closed: false, limit: 2 } as const
      expect(yield* files.page(request)).toMatchObject({ totalLines: 100_001, lines: ["100000", "par"], nextOffset: 100_001 })
      writeFileSync(join(directory, "stdout.txt"), "tial\nnext\n", { flag: "a" })
      expect(yield* files.page({ ...request, offset: 100_000 })).toMatchObject({ totalLines: 100_002, lines: ["partial", "next"] })
    }))

  it.effect("while the tail rotates every page is a run of lines that were printed", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const commands = yield* CapturedCommands
      const directory = folder({})
      const started = yield* commands.start({
        command: "seq 1000000 7000000",
        cwd: root,
        directory,
        marker: { name: "STENO_CALL_ID", value: `call_pages_${process.pid}` },
        environment: process.env
      })
      const ended = yield* Effect.forkChild(started.ended, { startImmediately: true })
      let pages = 0
      while (ended.pollUnsafe() === undefined) {
        const read = yield* files.page({ directory, stream: "output", closed: false, limit: 5 })
        const lines = read.lines.map(Number)
        const whole = lines.slice(0, -1)
        for (let at = 1; at < whole.length; at++) expect(whole[at]).toBe((whole[at - 1] ?? 0) + 1)
        pages += 1
      }
      expect(pages).toBeGreaterThan(3)
      const { captured } = yield* started.ended
      const joined = readFileSync(join(directory, "stdout.txt"))
      expect(Buffer.concat(yield* Stream.runCollect(files.bytes({ directory, stream: "output", closed: true }))).equals(joined)).toBe(true)
      expect((yield* files.inspect(directory)).facts).toEqual(captured.facts)
    }))

  it.effect("recovery joins both streams where output.txt was not made yet, and removes what was only begun", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const directory = folder({ "stdout.txt": "a", "stderr.txt": "b\n", "output.txt.part": "a", "command.sh": "true" })
      const recovered = yield* files.recover(directory)
      expect(readFileSync(join(directory, "output.txt"), "utf8")).toBe("a\nb\n")
      expect(recovered.facts.output).toEqual({ observedBytes: 3, storedBytes: 4, droppedBytes: 0, observedLines: 2, storedLines: 2 })
      expect(recovered.retained).toEqual({ text: "a\nb\n", incomplete: true })
      expect((yield* files.inspect(directory)).files.map((file) => file.name)).toEqual(["stdout.txt", "stderr.txt", "output.txt"])
    }))
})
