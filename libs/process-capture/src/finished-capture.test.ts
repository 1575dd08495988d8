import { closeSync, fsync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { Capture } from "./capture.ts"

const caps = {
  headBytes: 300,
  tailBytes: 200,
  borderBytes: 40,
  partialLineMs: 200,
  partialLineBytes: 16,
  waitingBytes: 1_000,
  writeBytes: 64
}

const root = mkdtempSync(join(tmpdir(), "finished-capture-"))

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => {
  vi.useRealTimers()
  rmSync(root, { recursive: true, force: true })
})

it("a finished capture writes nothing any more, so that a descriptor closed since is another file's alone", async () => {
  const capture = new Capture(root, caps, () => undefined)
  expect(capture.open()).toBeUndefined()
  capture.push("stdout", Buffer.from("0123456789\n".repeat(40)))
  await new Promise<void>((resolve) => capture.finish(resolve))
  const segment = capture.streams.stdout.file.segments[0]
  if (segment === undefined) throw new Error("no segment")
  closeSync(segment.fd)
  const other = join(root, "other")
  const content = "x".repeat(1_000)
  writeFileSync(other, content)
  const reused = openSync(other, "r+")
  expect(reused).toBe(segment.fd)

  vi.advanceTimersByTime(60_000)
  await promisify(fsync)(reused)
  await promisify(fsync)(reused)
  expect(readFileSync(other, "utf8")).toBe(content)
  closeSync(reused)
})
