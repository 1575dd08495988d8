import { expect, layer } from "@effect/vitest"
import { projectValue, type toolPolicies } from "@steno/result-projection"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { catalogToolsLayer, temporaryWorkspace } from "../src/testing.ts"
import { runTool } from "./tool-run.ts"

/** What a model sees of a call that is really made. */
const seen = Effect.fnUntraced(function*(tool: keyof typeof toolPolicies, sent: object, folder: string) {
  const result = yield* runTool(tool, sent, folder)
  return projectValue({ tool, origin: "model", end: { outcome: "completed" }, arguments: sent, result }).agent
})

layer(catalogToolsLayer)("a model", (it) => {
  it.effect("that reads 500 lines is shown 200 and told to go on at 201", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "f"), Array.from({ length: 700 }, (_, at) => `${at + 1}\n`).join(""))
      const text = yield* seen("read", { path: "f", limit: 500 }, folder)
      expect(text.split("\n").slice(198, 200)).toEqual(["199", "200"])
      expect(text).toContain("lines 1–200 of 700, 500 not shown; continue at offset 201")
      expect(yield* seen("read", { path: "f", offset: 690 }, folder)).toMatch(/^690\n[^]*\n700\n\[lines 690–700 of 700\]$/)
    }))

  it.effect("sees matches, files and entries, each with the limit that cut them", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      writeFileSync(join(folder, "a.ts"), "one x\ntwo\nthree x\n")
      expect(yield* seen("grep", { pattern: "x" }, folder)).toBe("a.ts:1: one x\na.ts:3: three x")
      expect(yield* seen("grep", { pattern: "x", limit: 1 }, folder)).toContain("its limit of 1")
      expect(yield* seen("find", { pattern: "*.ts" }, folder)).toBe(`${folder}: 1 file\na.ts`)
      expect(yield* seen("ls", {}, folder)).toBe(`${folder}: 1 entry\na.ts (18 bytes)`)
    }))

  it.effect("sees what was done to a file and nothing of what it submitted", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryWorkspace
      const submitted = "the submitted content"
      expect(yield* seen("write", { path: "f", content: `${submitted}\n` }, folder)).toBe(
        "write: done\npath: f\nfile: created\nbytes written: 22"
      )
      expect(yield* seen("edit", { path: "f", edits: [{ oldText: submitted, newText: `${submitted} again` }] }, folder)).toBe(
        "edit: done\npath: f\nbytes written: 28\noperations: 1\nfirst changed line: 1"
      )
    }))
})
