import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { Capture } from "./capture.ts"
import type { CaptureCaps } from "./capture-caps.ts"
import { closeCapture } from "./capture-close.ts"
import type { GrownFile } from "./grown-file.ts"
import { noneAdded } from "./capture-plan.ts"

const root = mkdtempSync(join(tmpdir(), "capture-join-faults-"))
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

const lines = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, index) => `${index}\n`).join(""))

/** A capture of both streams at its close, whose heads take no write any more: truncating and writing fail, reading does not. */
const readOnlyAtClose = Effect.fnUntraced(function*(printed: Buffer) {
  const directory = mkdtempSync(join(root, "c-"))
  const capture = new Capture(directory, caps, () => undefined)
  expect(capture.open()).toBeUndefined()
  capture.push("stdout", printed)
  capture.push("stderr", Buffer.from("err\n"))
  yield* Effect.callback<void>((resume) => capture.finish(() => resume(Effect.void)))
  const grown = [
    { stream: "stdout", file: capture.streams.stdout.file, observedBytes: printed.length, added: noneAdded } as const,
    { stream: "stderr", file: capture.streams.stderr.file, observedBytes: 4, added: noneAdded } as const,
    { stream: "output", file: capture.output, observedBytes: printed.length + 4, added: capture.added } as const
  ].map(({ added, file, observedBytes, stream }): GrownFile => {
    const files = file?.grown
    if (file === undefined || files === undefined) throw new Error(`no ${stream}`)
    closeSync(files.head)
    return {
      stream,
      name: file.name,
      files: { ...files, head: openSync(file.path, "r") },
      observedBytes,
      observedLines: file.lineFeeds,
      added,
      fault: undefined,
      lost: undefined
    }
  })
  return { directory, captured: yield* closeCapture(directory, grown, caps, false) }
})

it.effect.each([120, 180, 300])("a tail of %d lines that cannot be joined: its head is kept, its end feeds the result, the loss is exact", (count) =>
  Effect.gen(function*() {
    const printed = lines(count)
    const everything = `${printed.toString()}err\n`
    const { captured, directory } = yield* readOnlyAtClose(printed)
    const { output, stdout } = captured.facts
    expect(readFileSync(join(directory, "stdout.txt")).equals(printed.subarray(0, caps.headBytes))).toBe(true)
    expect(stdout).toMatchObject({
      observedBytes: printed.length,
      storedBytes: caps.headBytes,
      droppedBytes: printed.length - caps.headBytes,
      gapOffset: caps.headBytes
    })
    const stored = readFileSync(join(directory, "output.txt"))
    expect(everything.slice(0, stored.length)).toBe(stored.toString())
    expect(output).toMatchObject({
      observedBytes: everything.length,
      storedBytes: stored.length,
      droppedBytes: everything.length - stored.length,
      gapOffset: stored.length
    })
    const end = Buffer.from(captured.unstored?.bytes ?? []).toString()
    expect(end.endsWith("\nerr\n") && everything.endsWith(end)).toBe(true)
    expect(stored.length + (captured.unstored?.lostBytes ?? 0) + end.length).toBe(everything.length)
    expect(captured.retained.text.endsWith("\nerr\n")).toBe(true)
    expect(captured.warnings).toEqual([{ code: "capture-storage-failed", text: expect.stringMatching(/^truncate .* failed with/) }])
    expect(readdirSync(directory).filter((name) => name.includes("tail"))).toEqual([])
  }))
