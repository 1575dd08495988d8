import { expect, layer } from "@effect/vitest"
import type { GrepResult, ListingResult } from "@steno/result-projection"
import { Effect, Fiber } from "effect"
import fc from "fast-check"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { catalogToolsLayer, temporaryWorkspace } from "../src/testing.ts"
import { runTool } from "./tool-run.ts"

const put = (folder: string, files: Readonly<Record<string, string | Uint8Array>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

const workspaceWith = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.tap(temporaryWorkspace, (folder) => Effect.sync(() => put(folder, files)))

const grepped = (sent: object, folder: string) => Effect.map(runTool("grep", sent, folder), (result) => result as GrepResult)

const lines = ({ matches }: GrepResult) => matches.map(({ line, path, text }) => `${path}:${line}:${text}`)

const found = (sent: object, folder: string, tool = "find") => Effect.map(runTool(tool, sent, folder), (result) => result as ListingResult)

/** Working directory of a process; undefined: it is gone. */
const folderOf = (pid: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

layer(catalogToolsLayer)("grep", (it) => {
  it.effect("gives path, line and text in path order, with the lines around once each", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "b/x.ts": "1\nhit\n3\n4\nhit\n6\n7\n8\nhit\n", "a.ts": "hit\n" })
      expect(yield* grepped({ pattern: "h.t", context: 2 }, folder)).toEqual({
        matches: [
          { path: "a.ts", line: 1, text: "hit" },
          { path: "b/x.ts", line: 2, text: "hit", before: ["1"], after: ["3", "4"] },
          { path: "b/x.ts", line: 5, text: "hit", after: ["6", "7"] },
          { path: "b/x.ts", line: 9, text: "hit", before: ["8"] }
        ],
        total: 4
      })
    }))

  it.effect("names paths as they can be read: from the Workspace inside it, absolute outside, whatever path was given", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "src/deep/f": "x\n", "other/f": "x\n" })
      expect(lines(yield* grepped({ pattern: "x", path: "src" }, folder))).toEqual(["src/deep/f:1:x"])
      expect(lines(yield* grepped({ pattern: "x", path: join(folder, "src") }, folder))).toEqual(["src/deep/f:1:x"])
      expect(lines(yield* grepped({ pattern: "x", path: "src/deep/f" }, folder))).toEqual(["src/deep/f:1:x"])
      expect(lines(yield* grepped({ pattern: "x", path: "../other" }, join(folder, "src")))).toEqual([`${folder}/other/f:1:x`])
    }))

  it.effect("takes a pattern as text, in any case, and never as an option", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: "a.b\nA.B\naxb\n--files\n" })
      expect(lines(yield* grepped({ pattern: "a.b" }, folder))).toEqual(["f:1:a.b", "f:3:axb"])
      expect(lines(yield* grepped({ pattern: "a.b", literal: true }, folder))).toEqual(["f:1:a.b"])
      expect(lines(yield* grepped({ pattern: "a.b", literal: true, ignoreCase: true }, folder))).toEqual(["f:1:a.b", "f:2:A.B"])
      expect(lines(yield* grepped({ pattern: "--files" }, folder))).toEqual(["f:4:--files"])
    }))

  it.effect("stops at its limit only when there is more", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: "x\n".repeat(5), g: "x\n".repeat(200_000) })
      expect(yield* grepped({ pattern: "x", path: "f", limit: 5 }, folder)).toMatchObject({ total: 5 })
      const stopped = yield* grepped({ pattern: "x", limit: 7, context: 1 }, folder)
      expect(stopped).toMatchObject({ limitReached: 7 })
      expect(stopped).not.toHaveProperty("total")
      expect(lines(stopped).at(-1)).toBe("g:2:x")
    }))

  it.effect("leaves out what .gitignore names where there is no repository", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ ".gitignore": "*.log\n", "a.log": "x\n", "sub/b.log": "x\n", c: "x\n" })
      expect(lines(yield* grepped({ pattern: "x" }, folder))).toEqual(["c:1:x"])
      expect((yield* found({ pattern: "*" }, folder)).paths.map(({ path }) => path)).toEqual([".gitignore", "c"])
    }))

  it.effect("leaves out what .gitignore names, .git and binary files, also where glob fits", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({
        ".gitignore": "*.log\nbuild/\n!keep.md\n",
        ".github/w.yml": "x\n",
        ".git/HEAD": "x\n",
        "a.log": "x\n",
        "build/a.ts": "x\n",
        "sub/.gitignore": "b.ts\n",
        "sub/a.ts": "x\n",
        "sub/b.ts": "x\n",
        "keep.md": "x\n",
        "bin": "x\0\n"
      })
      expect(lines(yield* grepped({ pattern: "x" }, folder))).toEqual([".github/w.yml:1:x", "keep.md:1:x", "sub/a.ts:1:x"])
      expect(lines(yield* grepped({ pattern: "x", glob: "*.ts" }, folder))).toEqual(["sub/a.ts:1:x"])
      expect(lines(yield* grepped({ pattern: "x", glob: "*.log" }, folder))).toEqual([])
      expect(lines(yield* grepped({ pattern: "x", glob: "{sub,nothing}/**" }, folder))).toEqual(["sub/a.ts:1:x"])
      expect(lines(yield* grepped({ pattern: "x", path: "a.log", glob: "*.ts" }, folder))).toEqual(["a.log:1:x"])
      expect(lines(yield* grepped({ pattern: "x", path: "build" }, folder))).toEqual(["build/a.ts:1:x"])
      expect(yield* grepped({ pattern: "x", path: "bin" }, folder)).toEqual({
        matches: [],
        total: 0,
        warnings: [expect.stringContaining("bin: binary file matches")]
      })
    }))

  it.effect("clips a long line where it is searched and says so; CRLF is no part of a line", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ long: `needle${"x".repeat(5_000_000)}\nneedle\r\n` })
      const [clipped, short] = (yield* grepped({ pattern: "^needle" }, folder)).matches
      expect(clipped?.text.length).toBeLessThan(2_100)
      expect(clipped?.text).toMatch(/^needlex+ \[\.\.\. omitted end of long line\]$/)
      expect(short?.text).toBe("needle")
      expect((yield* grepped({ pattern: "needle$" }, folder)).matches).toMatchObject([{ line: 2 }])
    }))

  it.effect("gives an invalid pattern or glob back in the words of what refused it", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: "x" })
      expect(yield* runTool("grep", { pattern: "f(" }, folder)).toEqual({
        code: "pattern-refused",
        message: expect.stringMatching(/regex parse error[^]*unclosed group/)
      })
      expect(yield* runTool("grep", { pattern: "a\nb" }, folder)).toMatchObject({ code: "pattern-refused" })
      expect(yield* runTool("grep", { pattern: "x", glob: "{a" }, folder)).toEqual({
        code: "pattern-refused",
        message: "The glob cannot be used: a { has no }"
      })
      expect(yield* runTool("grep", { pattern: "x", path: "g" }, folder)).toMatchObject({ code: "path-not-found" })
    }))

  it.effect("follows no link inside the tree, only one that is given", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "in/f": "x\n", "out/g": "x\n" })
      symlinkSync("../out", join(folder, "in", "l"))
      expect(lines(yield* grepped({ pattern: "x", path: "in" }, folder))).toEqual(["in/f:1:x"])
      expect(lines(yield* grepped({ pattern: "x", path: "in/l" }, folder))).toEqual(["out/g:1:x"])
    }))

  it.effect("finds what grep -rn finds, in names and lines of any kind", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const name = fc.constantFrom("a", "b c", "ü", "-x", "a:1:b", "new\nline", ".dot", "'q'", "#c")
      const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.map((one) => `d${one}`).join("/")}/f${names[0]}`)
      const content = fc.array(fc.constantFrom("x", "xy\n", "\n", "  x-1-y:2:\n", "ä x\n", "--\n"), { maxLength: 12 }).map((parts) => parts.join(""))
      for (const files of fc.sample(fc.dictionary(path, content, { maxKeys: 12 }), 25)) {
        rmSync(folder, { recursive: true })
        mkdirSync(folder)
        put(folder, files)
        const { stdout } = spawnSync("grep", ["-rnZ", "-e", "x", "."], { cwd: folder, env: { LC_ALL: "C.UTF-8" }, encoding: "utf8" })
        const expected = [...stdout.matchAll(/\.\/([^\0]+)\0(\d+):(.*)\n/g)].map(([, file, line, text]) => `${file}:${line}:${text}`)
        const result = yield* grepped({ pattern: "x", limit: 1_000, context: 1 }, folder)
        expect(lines(result).toSorted()).toEqual(expected.toSorted())
        for (const { after = [], before = [], line, path: file } of result.matches) {
          const all = (files[file] ?? "").split("\n")
          expect(all.slice(line - 1 - before.length, line - 1)).toEqual(before)
          expect(all.slice(line, line + after.length)).toEqual(after)
        }
      }
    }))

  it.effect("that is interrupted leaves no search behind", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ f: "" })
      truncateSync(join(folder, "f"), 500 * 1024 ** 3)
      const searching = () => readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === folder)
      const fiber = yield* Effect.forkChild(runTool("grep", { pattern: "x", path: "f" }, folder), { startImmediately: true })
      while (searching().length === 0) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
      yield* Fiber.interrupt(fiber)
      expect(searching()).toEqual([])
    }))
})

layer(catalogToolsLayer)("find", (it) => {
  it.effect("gives files by name at any depth or by path, in path order, with the total", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "b/x.ts": "", "a.ts": "", "b/c/y.ts": "", "b/x.md": "", ".h/z.ts": "" })
      const paths = (sent: object) => Effect.map(found(sent, folder), (result) => result.paths.map(({ path }) => path))
      expect(yield* paths({ pattern: "*.ts" })).toEqual([".h/z.ts", "a.ts", "b/c/y.ts", "b/x.ts"])
      expect(yield* paths({ pattern: "b/*.ts" })).toEqual(["b/x.ts"])
      expect(yield* paths({ pattern: "*.ts", path: "b" })).toEqual(["c/y.ts", "x.ts"])
      expect(yield* found({ pattern: "*.ts", limit: 2 }, folder)).toEqual({
        root: folder,
        paths: [{ path: ".h/z.ts", kind: "file" }, { path: "a.ts", kind: "file" }],
        total: 4,
        limitReached: 2
      })
      expect(yield* found({ pattern: "*.py" }, folder)).toEqual({ root: folder, paths: [], total: 0 })
    }))

  it.effect("gives what find gives where nothing is ignored, names with newlines too", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ "a\nb/c.ts": "", "ü.ts": "", "-x.ts": "", "a/b/c/d/e.ts": "", "x.tsx": "" })
      const stdout = execFileSync("find", [".", "-type", "f", "-name", "*.ts", "-print0"], { cwd: folder, encoding: "utf8" })
      const result = yield* found({ pattern: "*.ts" }, folder)
      expect(result.paths.map(({ path }) => `./${path}`).toSorted()).toEqual(stdout.split("\0").filter((path) => path !== "").toSorted())
    }))

  it.effect("leaves out what is ignored, folders and links; refuses a root that is no folder", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ ".gitignore": "*.log\n!*.md", "a.log": "", "a.md": "", "d.ts/f": "", ".git/x.ts": "" })
      symlinkSync("a.md", join(folder, "l.ts"))
      expect(yield* found({ pattern: "*.{log,ts}" }, folder)).toMatchObject({ paths: [] })
      expect(yield* runTool("find", { pattern: "*", path: "a.md" }, folder)).toMatchObject({ code: "wrong-kind" })
    }))
})

layer(catalogToolsLayer)("ls", (it) => {
  it.effect("gives folders first, then by name, with kinds and sizes, hidden and ignored ones too", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith({ ".gitignore": "b", "b": "12345", "a": "", "z/f": "", ".h/f": "" })
      symlinkSync("z", join(folder, "l"))
      execFileSync("mkfifo", [join(folder, "pipe")])
      expect(yield* found({}, folder, "ls")).toEqual({
        root: folder,
        total: 7,
        paths: [
          { path: ".h", kind: "directory" },
          { path: "z", kind: "directory" },
          { path: ".gitignore", kind: "file", sizeBytes: 1 },
          { path: "a", kind: "file", sizeBytes: 0 },
          { path: "b", kind: "file", sizeBytes: 5 },
          { path: "l", kind: "link" },
          { path: "pipe", kind: "other" }
        ]
      })
      expect(yield* found({ path: "l" }, folder, "ls")).toMatchObject({ root: join(folder, "z"), total: 1 })
    }))

  it.effect("stops at its limit with the total, and refuses a file", () =>
    Effect.gen(function*() {
      const folder = yield* workspaceWith(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, ""])))
      const result = yield* found({ limit: 3 }, folder, "ls")
      expect([result.paths.length, result.total, result.limitReached]).toEqual([3, 30, 3])
      expect(yield* runTool("ls", { path: "f1" }, folder)).toEqual({
        code: "wrong-kind",
        message: "\"f1\" is a file; name a folder, or read it"
      })
      expect(yield* runTool("ls", { path: "f1x" }, folder)).toMatchObject({ code: "path-not-found" })
    }))
})
