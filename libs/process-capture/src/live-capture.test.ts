import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll } from "vitest"
import { defaultCaps } from "./capture-caps.ts"
import { LiveCapture } from "./live-capture.ts"

const root = mkdtempSync(join(tmpdir(), "live-capture-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it.live("a pipe is paused while more waits than the disk has taken, and loses nothing by it", () =>
  Effect.gen(function*() {
    const live = LiveCapture.open(root, { ...defaultCaps, waitingBytes: 1_000 })
    if (!(live instanceof LiveCapture)) throw live
    const pipes = { stdout: new PassThrough(), stderr: new PassThrough() }
    live.read("stdout", pipes.stdout)
    live.read("stderr", pipes.stderr)
    let pauses = 0
    pipes.stdout.on("pause", () => pauses += 1)
    const parts = Array.from({ length: 50 }, (_, index) => Buffer.alloc(2_000, `${index}\n`))
    for (const part of parts) pipes.stdout.write(part)
    pipes.stdout.end()
    pipes.stderr.end()
    yield* live.drained
    const { facts } = yield* live.close
    expect(pauses).toBeGreaterThan(0)
    expect(facts.stdout.droppedBytes).toBe(0)
    expect(readFileSync(join(root, "stdout.txt")).equals(Buffer.concat(parts))).toBe(true)
  }))
