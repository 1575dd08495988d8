import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { defaultCaps } from "./capture-caps.ts"
import { makeSuppliedOutputs } from "./supplied-outputs.ts"

const root = mkdtempSync(join(tmpdir(), "supplied-outputs-"))
const newFolder = () => mkdtempSync(join(root, "call-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const small = { ...defaultCaps, headBytes: 4_096, tailBytes: 4_096, borderBytes: 256 }

const opened = Effect.fnUntraced(function*(caps = defaultCaps) {
  const folder = newFolder()
  const output = yield* makeSuppliedOutputs(caps).open(folder)
  return { folder, output, text: () => readFileSync(join(folder, "output.txt"), "utf8") }
})

describe("output that is supplied", () => {
  it.live("lies in one file, as it was given, with its facts", () =>
    Effect.gen(function*() {
      const { folder, output, text } = yield* opened()
      for (const part of ["one\ntw", "o\n", "", "🙂"]) output.append(part)
      const captured = yield* output.close
      expect(text()).toBe("one\ntwo\n🙂")
      expect(readdirSync(folder)).toEqual(["output.txt"])
      expect(captured).toMatchObject({
        outputFile: "output.txt",
        retained: { text: "one\ntwo\n🙂" },
        facts: { output: { observedBytes: 12, storedBytes: 12, observedLines: 3 }, stdout: { observedBytes: 0 } },
        warnings: []
      })
    }))

  it.live("gives way to what is given anew, whatever its size was", () =>
    Effect.gen(function*() {
      const { folder, output, text } = yield* opened(small)
      output.append("x".repeat(40_000))
      yield* output.replace("short\n")
      output.append("and more\n")
      const { facts } = yield* output.close
      expect(text()).toBe("short\nand more\n")
      expect(readdirSync(folder)).toEqual(["output.txt"])
      expect(facts.output).toMatchObject({ observedBytes: 15, droppedBytes: 0, observedLines: 2 })
    }))

  it.live("keeps both ends under the caps and counts what is missing", () =>
    Effect.gen(function*() {
      const { output, text } = yield* opened(small)
      const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`)
      for (const line of lines) output.append(line)
      const { facts } = yield* output.close
      const all = lines.join("")
      expect(facts.output.observedBytes).toBe(all.length)
      expect(facts.output.droppedBytes).toBeGreaterThan(0)
      expect(text().startsWith("line 0\nline 1\n")).toBe(true)
      expect(text().endsWith("line 4999\n")).toBe(true)
    }))

  it.live("leaves no file where nothing came, and none is made over one that is there", () =>
    Effect.gen(function*() {
      const { folder, output } = yield* opened()
      expect((yield* output.close).outputFile).toBeUndefined()
      expect(readdirSync(folder)).toEqual([])
      writeFileSync(join(folder, "output.txt"), "taken")
      const error = yield* Effect.flip(makeSuppliedOutputs(defaultCaps).open(folder))
      expect(error.reason).toMatchObject({ _tag: "CaptureFailed", code: "EEXIST" })
    }))
})
