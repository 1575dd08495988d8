import { expect, layer } from "@effect/vitest"
import { ConversationId } from "@steno/contracts"
import type { MutationResult } from "@steno/result-projection"
import { applyPatch } from "diff"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import fc from "fast-check"
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { CatalogTools } from "../src/catalog-tools.ts"
import { FileQueues } from "../src/file-queues.ts"
import { FileStates } from "../src/file-states.ts"
import { catalogToolsLayer, makeSite, temporaryWorkspace } from "../src/testing.ts"
import { runTool } from "./tool-run.ts"

const other = ConversationId.make("conv_01JAVW4QKD7QZB2N5T8M3X9C1T")

layer(catalogToolsLayer)("write", (it) => {
  it.effect("creates a file and its folders, and replaces it; says which, how many bytes, and the change", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      expect(yield* runTool("write", { path: "a/b/f", content: "ä\n" }, folder)).toEqual({
        path: "a/b/f",
        outcome: "done",
        bytesWritten: 3,
        file: "created",
        warnings: [],
        diff: "--- /dev/null\n+++ b/a/b/f\n@@ -0,0 +1,1 @@\n+ä\n"
      })
      expect(yield* runTool("write", { path: "a/b/f", content: "ä\nb\n" }, folder)).toEqual({
        path: "a/b/f",
        outcome: "done",
        bytesWritten: 5,
        file: "overwritten",
        firstChangedLine: 2,
        warnings: [],
        diff: "--- a/a/b/f\n+++ b/a/b/f\n@@ -1,1 +1,2 @@\n ä\n+b\n"
      })
      expect(readFileSync(join(folder, "a/b/f"), "utf8")).toBe("ä\nb\n")
      expect(readdirSync(join(folder, "a/b"))).toEqual(["f"])
    }))

  it.effect("keeps the mode of a file, and says what a link or a further name means", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "tool.sh"), "old")
      chmodSync(join(folder, "tool.sh"), 0o4751)
      linkSync(join(folder, "tool.sh"), join(folder, "twin"))
      symlinkSync("tool.sh", join(folder, "l"))
      expect(yield* runTool("write", { path: "l", content: "new" }, folder)).toMatchObject({
        path: "tool.sh",
        warnings: [
          "The file existed and had not been read in this Session.",
          "The path leads through a link; the file is tool.sh.",
          "The file has further names (hard links); they keep the old content."
        ]
      })
      expect(statSync(join(folder, "tool.sh")).mode & 0o7777).toBe(0o4751)
      expect(readFileSync(join(folder, "l"), "utf8")).toBe("new")
      expect(readFileSync(join(folder, "twin"), "utf8")).toBe("old")
    }))

  it.effect("through a link to nothing makes the file it points to", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      symlinkSync("later", join(folder, "l"))
      expect(yield* runTool("write", { path: "l", content: "x" }, folder)).toMatchObject({ path: "later", file: "created" })
      expect(readFileSync(join(folder, "later"), "utf8")).toBe("x")
    }))

  it.effect("refuses a file that changed after this Session read it, and takes it once it was read again", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const path = join(folder, "f")
      writeFileSync(path, "one")
      yield* runTool("read", { path: "f" }, folder)
      const { atime, mtime } = statSync(path)
      writeFileSync(path, "two")
      utimesSync(path, atime, mtime)
      expect(yield* runTool("write", { path: "f", content: "mine" }, folder)).toEqual({
        code: "changed-meanwhile",
        message: "\"f\" changed after it was last read or written here; nothing was written. Read it again first"
      })
      expect(readFileSync(path, "utf8")).toBe("two")
      expect(yield* runTool("edit", { path: "f", edits: [{ oldText: "two", newText: "x" }] }, folder)).toMatchObject({ code: "changed-meanwhile" })
      yield* runTool("read", { path: "f" }, folder)
      expect(yield* runTool("write", { path: "f", content: "mine" }, folder)).toMatchObject({ outcome: "done" })
    }))

  it.effect("judges what was read by content: the same bytes under new times are no change, another file of that name is", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const path = join(folder, "f")
      writeFileSync(path, "one")
      yield* runTool("read", { path: "f" }, folder)
      writeFileSync(join(folder, "same"), "one")
      renameSync(join(folder, "same"), path)
      expect(yield* runTool("write", { path: "f", content: "two" }, folder)).toMatchObject({ outcome: "done", warnings: [] })
      writeFileSync(join(folder, "else"), "owt")
      renameSync(join(folder, "else"), path)
      expect(yield* runTool("write", { path: "f", content: "three" }, folder)).toMatchObject({ code: "changed-meanwhile" })
    }))

  it.effect("refuses a file that was removed after it was read, until the Session has seen that it is gone", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "f"), "one")
      yield* runTool("read", { path: "f" }, folder)
      rmSync(join(folder, "f"))
      expect(yield* runTool("write", { path: "f", content: "x" }, folder)).toMatchObject({
        code: "changed-meanwhile",
        message: expect.stringContaining("was removed")
      })
      expect(yield* runTool("read", { path: "f" }, folder)).toMatchObject({ code: "path-not-found" })
      expect(yield* runTool("write", { path: "f", content: "x" }, folder)).toMatchObject({ file: "created" })
    }))

  it.effect("keeps what each Session saw apart", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "f"), "one")
      yield* runTool("read", { path: "f" }, folder)
      expect(yield* runTool("write", { path: "f", content: "two" }, folder, { conversationId: other })).toMatchObject({
        warnings: ["The file existed and had not been read in this Session."]
      })
      expect(yield* runTool("write", { path: "f", content: "three" }, folder)).toMatchObject({ code: "changed-meanwhile" })
      yield* (yield* FileStates).forget(other)
      writeFileSync(join(folder, "f"), "four")
      expect(yield* runTool("write", { path: "f", content: "five" }, folder, { conversationId: other })).toMatchObject({ outcome: "done" })
    }))

  it.effect("refuses folders, and a path that leads elsewhere than it was judged to", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      mkdirSync(join(folder, "d"))
      expect(yield* runTool("write", { path: "d", content: "" }, folder)).toMatchObject({ code: "wrong-kind" })
      expect(yield* runTool("write", { path: "/dev/null", content: "" }, folder)).toMatchObject({ code: "wrong-kind" })
      symlinkSync("d", join(folder, "l"))
      expect(yield* runTool("write", { path: "l/f", content: "" }, folder, { judged: [join(folder, "l/f")] })).toMatchObject({ code: "path-moved" })
      expect(readdirSync(join(folder, "d"))).toEqual([])
    }))

  it.effect("of one file by many calls leaves one whole content and no temporary file", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const contents = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(200_000))
      const results = yield* Effect.forEach(contents, (content) => runTool("write", { path: "g", content }, folder), { concurrency: "unbounded" })
      expect(results.map((result) => (result as MutationResult).outcome)).toEqual(contents.map(() => "done"))
      expect(contents).toContain(readFileSync(join(folder, "g"), "utf8"))
      expect(readdirSync(folder)).toEqual(["g"])
    }))

  it.effect("runs in the order in which places were taken, whoever begins first; a place given up is passed over", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const queues = yield* FileQueues
      const real = join(folder, "f")
      const taken = yield* Effect.forEach([0, 1, 2, 3], (at) =>
        Effect.gen(function*() {
          const scope = yield* Scope.make()
          return { at, scope, place: yield* Scope.provide(queues.enter(real), scope) }
        }))
      const done: Array<number> = []
      const calls = taken.filter(({ at }) => at !== 1).toReversed()
      const fibers = yield* Effect.forEach(calls, ({ at, place, scope }) =>
        runTool("write", { path: "f", content: `${at}` }, folder, { place }).pipe(
          Effect.tap(() => Effect.sync(() => done.push(at))),
          Effect.ensuring(Scope.close(scope, Exit.void)),
          Effect.forkChild({ startImmediately: true })
        ))
      yield* Effect.forEach(taken.filter(({ at }) => at === 1), ({ scope }) => Scope.close(scope, Exit.void))
      yield* Effect.forEach(fibers, Fiber.join)
      expect(done).toEqual([0, 2, 3])
      expect(readFileSync(real, "utf8")).toBe("3")
    }))

  it.effect("that was cut off leaves a file beside its own that can be cleared, and nothing else can", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryWorkspace
      mkdirSync(join(cwd, "d"))
      const site = makeSite(cwd)
      const [own, foreign] = [`.steno-${site.callId}.tmp`, ".steno-call_01JAVW4QKD7QZB2N5T8M3X9C00.tmp"]
      for (const name of [own, foreign, "f"]) writeFileSync(join(cwd, "d", name), "x")
      const tools = yield* CatalogTools
      yield* tools.clear({ tool: "read", arguments: { path: "d/f" } }, site)
      yield* tools.clear({ tool: "write", arguments: { path: "other/f", content: "" } }, site)
      expect(readdirSync(join(cwd, "d"))).toEqual([own, foreign, "f"].toSorted())
      for (const _ of ["once", "again"]) yield* tools.clear({ tool: "write", arguments: { path: "d/f", content: "" } }, site)
      expect(readdirSync(join(cwd, "d"))).toEqual([foreign, "f"])
    }))

  it.effect("that is interrupted while it waits changes nothing and lets the next one through", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const queues = yield* FileQueues
      const isFree = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(Effect.scoped(Effect.andThen(queues.enter(join(folder, "f")), Deferred.await(isFree))))
      yield* Effect.yieldNow
      const waiting = yield* Effect.forkChild(runTool("write", { path: "f", content: "never" }, folder))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      const next = yield* Effect.forkChild(runTool("write", { path: "f", content: "next" }, folder))
      yield* Deferred.succeed(isFree, undefined)
      yield* Fiber.join(holder)
      expect(yield* Fiber.join(next)).toMatchObject({ file: "created" })
      expect(readFileSync(join(folder, "f"), "utf8")).toBe("next")
      expect(readdirSync(folder)).toEqual(["f"])
    }))
})

layer(catalogToolsLayer)("edit", (it) => {
  it.effect("changes what it names, keeps the rest, and says what it did", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "f"), "one\r\ntwo\r\nthree\r\n")
      const edits = [{ oldText: "two\nthree", newText: "2\n3" }, { oldText: "3\n", newText: "drei\n" }]
      expect(yield* runTool("edit", { path: "f", edits, dryRun: true }, folder)).toMatchObject({ outcome: "dry-run", bytesWritten: 0 })
      expect(readFileSync(join(folder, "f"), "utf8")).toBe("one\r\ntwo\r\nthree\r\n")
      expect(yield* runTool("edit", { path: "f", edits }, folder)).toEqual({
        path: "f",
        outcome: "done",
        bytesWritten: 14,
        operations: 2,
        firstChangedLine: 2,
        warnings: [],
        diff: "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n-three\r\n+2\r\n+drei\r\n"
      })
      expect(readFileSync(join(folder, "f"), "utf8")).toBe("one\r\n2\r\ndrei\r\n")
    }))

  it.effect("has a diff that makes the new file of the old one", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const word = fc.constantFrom("a", "b", "ä", "\n", "\r\n", "x y", "0", "1", "2", "3", "4", "5", "6")
      const words = fc.array(word, { minLength: 1, maxLength: 30 })
      const spot = fc.record({ from: fc.nat(29), length: fc.integer({ min: 1, max: 4 }), newText: fc.array(word, { maxLength: 5 }) })
      let applied = 0
      for (const [file, spots] of fc.sample(fc.tuple(words, fc.array(spot, { minLength: 1, maxLength: 3 })), 200)) {
        const content = file.join("")
        const edits = spots.map(({ from, length, newText }) => {
          const start = from % file.length
          return { oldText: file.slice(start, start + length), newText }
        })
        writeFileSync(join(folder, "f"), content)
        const sent = { path: "f", edits: edits.map(({ newText, oldText }) => ({ oldText: oldText.join(""), newText: newText.join("") })) }
        const dry = yield* runTool("edit", { ...sent, dryRun: true }, folder)
        expect(readFileSync(join(folder, "f"), "utf8")).toBe(content)
        const result = yield* runTool("edit", sent, folder)
        const after = readFileSync(join(folder, "f"), "utf8")
        if ("code" in result) {
          expect([result.code, after, dry]).toEqual(["edit-does-not-fit", content, result])
        } else {
          const { diff } = result as MutationResult
          expect((dry as MutationResult).diff).toBe(diff)
          expect(diff === "" ? content : applyPatch(content, diff ?? "?", { autoConvertLineEndings: false })).toBe(after)
          applied += 1
        }
        yield* (yield* FileStates).forget(ConversationId.make("conv_01JAVW4QKD7QZB2N5T8M3X9C1R"))
      }
      expect(applied).toBeGreaterThan(10)
    }))

  it.effect("writes nothing when one edit does not fit, and says which, how often and where", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "f"), "x\ny\nx\n")
      const refused = (edits: ReadonlyArray<unknown>) => runTool("edit", { path: "f", edits }, folder)
      expect(yield* refused([{ oldText: "y", newText: "z" }, { oldText: "x", newText: "w" }])).toEqual({
        code: "edit-does-not-fit",
        message: "Edit 2 of 2 does not fit \"f\": oldText stands there 2 times, in lines 1, 3; take more of the lines around the right one. Nothing was written"
      })
      expect(yield* refused([{ oldText: "q", newText: "z" }])).toMatchObject({ message: expect.stringContaining("does not stand in the file") })
      expect(yield* refused([{ oldText: "y", newText: "y" }])).toMatchObject({ message: expect.stringContaining("nothing would change") })
      expect(readFileSync(join(folder, "f"), "utf8")).toBe("x\ny\nx\n")
    }))

  it.effect("refuses what is missing, no text, UTF-16 or too large", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "file.ts"), "")
      writeFileSync(join(folder, "zip"), "PK\x03\x04\0")
      writeFileSync(join(folder, "wide"), Buffer.from("\ufeffa", "utf16le"))
      writeFileSync(join(folder, "large"), "a".repeat(16 * 1024 * 1024 + 1))
      const message = (path: string) => runTool("edit", { path, edits: [{ oldText: "a", newText: "b" }] }, folder)
      expect(yield* message("fiel.ts")).toMatchObject({ code: "path-not-found", message: expect.stringContaining("\"file.ts\"") })
      expect(yield* message("zip")).toMatchObject({ code: "not-text", message: expect.stringContaining("a ZIP archive") })
      expect(yield* message("wide")).toMatchObject({ code: "wrong-kind", message: expect.stringContaining("UTF-16LE text") })
      expect(yield* message("large")).toMatchObject({ code: "too-large" })
    }))

  it.effect("after edit needs no reading in between, also of a file with bytes that are no UTF-8", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "f"), Buffer.from("mostly text, then \xff one\n", "latin1"))
      for (const [oldText, newText] of [["one", "two"], ["two", "three"]]) {
        expect(yield* runTool("edit", { path: "f", edits: [{ oldText, newText }] }, folder)).toMatchObject({ outcome: "done" })
      }
      expect(readFileSync(join(folder, "f"), "latin1")).toBe("mostly text, then \xff three\n")
      expect(yield* runTool("write", { path: "f", content: "all new" }, folder)).toMatchObject({ warnings: [] })
    }))
})

