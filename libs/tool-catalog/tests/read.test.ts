import { expect, layer } from "@effect/vitest"
import type { ReadResult } from "@steno/result-projection"
import { Effect } from "effect"
import fc from "fast-check"
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { catalogToolsLayer, temporaryWorkspace } from "../src/testing.ts"
import { runTool } from "./tool-run.ts"

const workspaceWith = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.tap(temporaryWorkspace, (folder) =>
    Effect.sync(() => {
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    }))

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("")

layer(catalogToolsLayer)("read", (it) => {
  it.effect("gives 200 lines and where to go on; the rest gives no further place", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: numbered(250) })
      expect(yield* runTool("read", { path: "f" }, folder)).toEqual({
        kind: "text",
        content: numbered(200),
        firstLine: 1,
        totalLines: 250,
        nextLine: 201
      })
      expect(yield* runTool("read", { path: "f", offset: 201 }, folder)).toEqual({
        kind: "text",
        content: numbered(250).slice(numbered(200).length),
        firstLine: 201,
        totalLines: 250
      })
    }))

  it.effect("gives no lines behind the end and of an empty file, with the count", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: "one\ntwo", empty: "" })
      expect(yield* runTool("read", { path: "f", offset: 3 }, folder)).toEqual({ kind: "text", content: "", firstLine: 3, totalLines: 2 })
      expect(yield* runTool("read", { path: "empty" }, folder)).toEqual({ kind: "text", content: "", firstLine: 1, totalLines: 0 })
    }))

  it.effect("gives ranges that joined are the file, whatever it holds", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const part = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.constantFrom("\n", "\r\n", "\n\n", "ä€😀", "\ufeff"))
      const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join("").replaceAll("\0", "").toWellFormed())
      const samples = fc.sample(fc.tuple(text, fc.integer({ min: 1, max: 7 })), 60)
      for (const [content, limit] of samples) {
        writeFileSync(join(folder, "f"), content)
        const pieces: Array<string> = []
        let offset: number | undefined = 1
        while (offset !== undefined) {
          const result: ReadResult = (yield* runTool("read", { path: "f", offset, limit }, folder)) as ReadResult
          if (result.kind !== "text") throw new Error(`no text: ${JSON.stringify(result)}`)
          pieces.push(result.content)
          offset = result.nextLine
        }
        expect(pieces.join("")).toBe(content.replace(/^\ufeff/, ""))
      }
    }))

  it.effect("says what the text does not show: mark, encoding, line ends, bytes that are no UTF-8", () =>
    Effect.gen(function*() {
      const utf16 = Buffer.from("\ufeffzwei\nä\n", "utf16le")
      const folder = yield* workspaceWith({
        mark: "\ufeffa\n",
        little: utf16,
        big: Buffer.from(utf16).swap16(),
        crlf: "a\r\nb\r\n",
        latin: Buffer.concat([Buffer.from("a long line of text that is read as it is, gr"), Buffer.from([0xfc]), Buffer.from("n\n")])
      })
      const text = (path: string) => runTool("read", { path }, folder)
      expect(yield* text("mark")).toMatchObject({ content: "a\n", notes: ["The file begins with a byte order mark."] })
      expect(yield* text("little")).toMatchObject({ content: "zwei\nä\n", totalLines: 2, notes: ["Encoding: UTF-16LE."] })
      expect(yield* text("big")).toMatchObject({ content: "zwei\nä\n", totalLines: 2, notes: ["Encoding: UTF-16BE."] })
      expect(yield* text("crlf")).toMatchObject({ content: "a\r\nb\r\n", notes: ["Lines end in CRLF."] })
      expect(yield* text("latin")).toMatchObject({
        content: expect.stringContaining("gr\ufffdn"),
        notes: ["Bytes that are not UTF-8 are shown as U+FFFD."]
      })
    }))

  it.effect("cuts a range at 1 MiB of whole lines, and gives a longer line as the piece it is", () =>
    Effect.gen(function*() {
      const half = `${"x".repeat(600_000)}\n`
      const folder = yield* workspaceWith({ two: half + half, one: `ab\n${"ä".repeat(1_000_000)}\nend\n` })
      expect(yield* runTool("read", { path: "two" }, folder)).toMatchObject({ content: half, nextLine: 2, totalLines: 2 })
      const piece = (yield* runTool("read", { path: "one", offset: 2 }, folder)) as Extract<ReadResult, { kind: "text" }>
      expect(piece).toMatchObject({ firstLine: 2, totalLines: 3, bytes: { from: 3, to: 3 + 1024 * 1024, total: 2_000_008 } })
      expect(piece.content).toBe("ä".repeat(512 * 1024))
      expect(piece).not.toHaveProperty("nextLine")
      expect(yield* runTool("read", { path: "one" }, folder)).toMatchObject({ content: "ab\n", nextLine: 2 })
    }))

  it.effect("reads far into a large file and counts its lines", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const block = numbered(100_000)
      writeFileSync(join(folder, "big"), "")
      for (let at = 0; at < 30; at++) appendFileSync(join(folder, "big"), block)
      expect(yield* runTool("read", { path: "big", offset: 2_900_001, limit: 1 }, folder)).toMatchObject({
        content: "line 1\n",
        totalLines: 3_000_000,
        nextLine: 2_900_002
      })
    }))

  it.effect.each([
    ["png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0], "image/png"],
    ["jpeg", [0xff, 0xd8, 0xff, 0xe0], "image/jpeg"],
    ["gif", [...Buffer.from("GIF89a"), 0], "image/gif"],
    ["webp", [...Buffer.from("RIFF\0\0\0\0WEBPVP8 ")], "image/webp"]
  ] as const)("shows a %s by its first bytes, whatever its name", ([, bytes, mediaType]) =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "f.txt": Uint8Array.from(bytes) })
      expect(yield* runTool("read", { path: "f.txt" }, folder)).toMatchObject({
        kind: "image",
        image: { mediaType, sizeBytes: bytes.length }
      })
    }))

  it.effect.each([
    ["a gzip archive", Buffer.from([0x1f, 0x8b, 8, 0])],
    ["a PDF document", Buffer.from("%PDF-1.7\nplain so far")],
    ["an SQLite database", Buffer.from("SQLite format 3\0rest")],
    ["a binary file", Buffer.from("text\0text")],
    ["a binary file", Buffer.from(Array.from({ length: 300 }, (_, at) => 0x80 + at % 100))]
  ] as const)("refuses %s by name and size", ([found, bytes]) =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: bytes })
      expect(yield* runTool("read", { path: "f" }, folder)).toEqual({
        code: "not-text",
        message: `"f" is ${found} of ${bytes.length} bytes, not text; look at it with a command made for it`
      })
    }))

  it.effect("refuses folders, pipes, sockets and devices without waiting for them", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({})
      mkdirSync(join(folder, "d"))
      execFileSync("mkfifo", [join(folder, "pipe")])
      yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer()
          server.listen(join(folder, "socket"), () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const message = (path: string) => runTool("read", { path }, folder)
      expect(yield* message("d")).toEqual({ code: "wrong-kind", message: "\"d\" is a folder; list it with ls" })
      for (const path of ["pipe", "socket", "/dev/zero"]) {
        expect(yield* message(path)).toMatchObject({ code: "wrong-kind", message: expect.stringContaining("neither a file nor a folder") })
      }
    }))

  it.effect("names what is spelt alike where nothing stands", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "README.md": "", "reader.ts": "", "other": "" })
      mkdirSync(join(folder, "src"))
      writeFileSync(join(folder, "src", "index.ts"), "")
      const message = (path: string) => runTool("read", { path }, folder)
      expect(yield* message("readme.md")).toEqual({ code: "path-not-found", message: "\"readme.md\" does not exist; close to it: \"README.md\"" })
      expect(yield* message("src/idnex.ts")).toMatchObject({ message: expect.stringContaining("close to it: \"src/index.ts\"") })
      expect(yield* message("scr/index.ts")).toMatchObject({ message: expect.stringContaining("close to it: \"src\"") })
      expect(yield* message("src/index.js")).toMatchObject({ message: expect.stringContaining("\"src/index.ts\"") })
      expect(yield* message("zzzzzz")).toEqual({ code: "path-not-found", message: "\"zzzzzz\" does not exist" })
      expect(yield* message("other/x")).toMatchObject({ code: "file-system", message: expect.stringContaining("no folder") })
    }))

  it.effect("follows links, also chains and a link as the Workspace, and ends at a circle", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: "found\n" })
      symlinkSync("f", join(folder, "l1"))
      symlinkSync(join(folder, "l1"), join(folder, "l2"))
      symlinkSync(".", join(folder, "here"))
      symlinkSync("circle", join(folder, "circle"))
      for (const path of ["l2", "here/here/l1", join(folder, "here", "f")]) {
        expect(yield* runTool("read", { path }, folder)).toMatchObject({ content: "found\n" })
      }
      expect(yield* runTool("read", { path: "f" }, join(folder, "here"))).toMatchObject({ content: "found\n" })
      expect(yield* runTool("read", { path: "circle" }, folder)).toMatchObject({ code: "file-system", message: expect.stringContaining("too many links") })
    }))

  it.effect("refuses a path that leads elsewhere than it was judged to", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ open: "open\n", secret: "secret\n" })
      symlinkSync("secret", join(folder, "l"))
      expect(yield* runTool("read", { path: "l" }, folder, { judged: [join(folder, "open")] })).toMatchObject({ code: "path-moved" })
      expect(yield* runTool("read", { path: "l" }, folder, { judged: [join(folder, "secret")] })).toMatchObject({ content: "secret\n" })
    }))
})
