import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { Capture } from "./capture.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { closeCapture } from "./capture-close.ts"
import { makeCaptureFiles } from "./capture-files-layer.ts"
import { findLeft } from "./capture-recovery.ts"
import { readPlans } from "./plan-record.ts"

const root = mkdtempSync(join(tmpdir(), "capture-recovery-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const caps: CaptureCaps = {
  headBytes: 300,
  tailBytes: 200,
  borderBytes: 40,
  partialLineMs: 200,
  partialLineBytes: 16,
  waitingBytes: 1_000,
  writeBytes: 64
}

const printed = (bytes: number): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, index) => `${index}\n`).join("")).subarray(0, bytes)

/** A folder as a dead owner leaves it: everything written, nothing joined. */
const leave = Effect.fnUntraced(function*(bytes: number) {
  const directory = mkdtempSync(join(root, "c-"))
  const capture = new Capture(directory, caps, () => undefined)
  expect(capture.open()).toBeUndefined()
  const lines = printed(bytes)
  capture.push("stdout", lines)
  capture.push("stderr", Buffer.from("err\n"))
  yield* Effect.callback<void>((resume) => capture.finish(() => resume(Effect.void)))
  for (const name of readdirSync(directory).filter((one) => one.includes("tail"))) {
    countAll(directory, name, lines.length + (name.startsWith("output") ? 4 : 0))
  }
  return directory
})

/** The owner died a moment later than its last header was due. */
const countAll = (directory: string, name: string, written: number) => {
  const content = readFileSync(join(directory, name))
  const ordinal = content.readDoubleLE(caps.tailBytes + 8)
  content.writeDoubleLE(Math.min(caps.tailBytes, written - caps.headBytes - ordinal * caps.tailBytes), caps.tailBytes + 24)
  writeFileSync(join(directory, name), content)
}

const copyOf = (directory: string): string => {
  const copy = mkdtempSync(join(root, "copy-"))
  cpSync(directory, copy, { recursive: true })
  return copy
}

const recover = Effect.fnUntraced(function*(directory: string) {
  return yield* closeCapture(directory, yield* findLeft(directory, caps), caps, true)
})

const contents = (directory: string) =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "latin1")]))

it.live.each([320, 498, 700, 1_111])("a join of %d bytes that was cut off anywhere is done again with the same result", (bytes) =>
  Effect.gen(function*() {
    const left = yield* leave(bytes)
    const whole = copyOf(left)
    const expected = yield* recover(whole)
    const all = printed(bytes).toString()
    expect(expected.facts.stdout).toMatchObject({
      observedBytes: bytes,
      observedLines: all.split("\n").length - (all.endsWith("\n") ? 1 : 0)
    })
    const joined = contents(whole)
    expect(Object.keys(joined).filter((name) => name.includes("tail"))).toEqual([])
    const plans = yield* readPlans(whole, readdirSync(whole))
    for (const stream of ["stdout", "output"] as const) {
      const plan = plans.get(stream)
      const final = Buffer.from(joined[`${stream}.txt`] ?? "", "latin1")
      const from = plan === undefined ? Math.min(caps.headBytes, final.length) : plan.headKept
      for (let cut = from; cut <= final.length; cut += 29) {
        const torn = copyOf(left)
        if (joined["capture.json"] !== undefined) writeFileSync(join(torn, "capture.json"), joined["capture.json"])
        writeFileSync(join(torn, `${stream}.txt`), final.subarray(0, cut))
        expect((yield* recover(torn)).facts).toEqual(expected.facts)
        expect(contents(torn)).toEqual(joined)
        rmSync(torn, { recursive: true })
      }
      if (plan === undefined) continue
      const cleaning = copyOf(left)
      writeFileSync(join(cleaning, "capture.json"), joined["capture.json"] ?? "")
      writeFileSync(join(cleaning, `${stream}.txt`), final)
      rmSync(join(cleaning, `${stream}.txt.tail-a`))
      yield* recover(cleaning)
      expect(contents(cleaning)).toEqual(joined)
    }
  }))

it.live("what output.txt lacks of both streams counts as dropped, and the streams are whole", () =>
  Effect.gen(function*() {
    const directory = mkdtempSync(join(root, "lag-"))
    for (const [name, text] of [["stdout.txt", "kept\n"], ["stderr.txt", "err\n"], ["output.txt", "kept\n"]] as const) {
      writeFileSync(join(directory, name), text)
    }
    const { facts } = yield* recover(directory)
    expect(facts.output).toEqual({
      observedBytes: 9,
      storedBytes: 5,
      droppedBytes: 4,
      observedLines: 2,
      storedLines: 1,
      gapOffset: 5,
      gapLine: 1
    })
    expect([facts.stdout.droppedBytes, facts.stderr.droppedBytes]).toEqual([0, 0])
  }))

it.effect("a page says how many bytes are missing: those rotated out while the capture grows, those of its plan once it is closed", () =>
  Effect.gen(function*() {
    const files = yield* makeCaptureFiles(caps)
    for (const [bytes, rotated] of [[498, 0], [1_111, 600]] as const) {
      const directory = yield* leave(bytes)
      const dropped = Effect.fnUntraced(function*(closed: boolean) {
        const pages = yield* Effect.forEach(["stdout", "stderr", "output"] as const, (stream) =>
          files.page({ directory, stream, closed }))
        return pages.map((page) => page.droppedBytes)
      })
      expect(yield* dropped(false)).toEqual([rotated, 0, rotated])
      const { facts } = yield* recover(directory)
      expect(yield* dropped(true)).toEqual([facts.stdout.droppedBytes, 0, facts.output.droppedBytes])
      expect(facts.stdout.droppedBytes).toBe(Math.max(0, bytes - 500))
    }
  }))
