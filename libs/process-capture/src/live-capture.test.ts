import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll } from "vitest"
import { defaultCaps } from "./capture-caps.ts"
import { LiveCapture } from "./live-capture.ts"

const root = mkdtempSync(join(tmpdir(), "live-capture-"))
const newFolder = () => mkdtempSync(join(root, "call-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it.live("a pipe is paused while more waits than the disk has taken, and loses nothing by it", () =>
  Effect.gen(function*() {
    const folder = newFolder()
    const live = LiveCapture.open(folder, { ...defaultCaps, waitingBytes: 1_000 })
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
    expect(readFileSync(join(folder, "stdout.txt")).equals(Buffer.concat(parts))).toBe(true)
  }))

it.live.each(["stdout.txt.tail-a", "stdout.txt.tail-b"])("a paused pipe flows on when %s cannot be made; the last lines are kept and the loss is said", (name) =>
  Effect.gen(function*() {
    const folder = newFolder()
    writeFileSync(join(folder, name), "in the way")
    const live = LiveCapture.open(folder, { ...defaultCaps, headBytes: 4_096, tailBytes: 4_096, borderBytes: 256, waitingBytes: 1_000 })
    if (!(live instanceof LiveCapture)) throw live
    const pipes = { stdout: new PassThrough(), stderr: new PassThrough() }
    live.read("stdout", pipes.stdout)
    live.read("stderr", pipes.stderr)
    pipes.stdout.write(Buffer.alloc(40_000, "much\n"))
    pipes.stdout.end("the end\n")
    pipes.stderr.end()
    yield* live.drained
    const { facts, retained, warnings } = yield* live.close
    expect(facts.stdout).toMatchObject({ observedBytes: 40_008, observedLines: 8_001 })
    expect(facts.stdout.storedBytes + facts.stdout.droppedBytes).toBe(40_008)
    expect(retained.text.endsWith("much\nthe end\n")).toBe(true)
    expect(warnings).toEqual([{ code: "capture-storage-failed", text: expect.stringContaining(`${name} failed with EEXIST`) }])
  }), 5_000)

it.live("where output.txt cannot be made, both streams keep their files and memory has the lines of both", () =>
  Effect.gen(function*() {
    const folder = newFolder()
    mkdirSync(join(folder, "output.txt.part"))
    const live = LiveCapture.open(folder, defaultCaps)
    if (!(live instanceof LiveCapture)) throw live
    const pipes = { stdout: new PassThrough(), stderr: new PassThrough() }
    live.read("stdout", pipes.stdout)
    live.read("stderr", pipes.stderr)
    pipes.stdout.end("out\n")
    pipes.stderr.end("err\n")
    yield* live.drained
    const { facts, files, retained, warnings } = yield* live.close
    expect(files.map((file) => file.name)).toEqual(["stdout.txt", "stderr.txt"])
    expect(facts.output).toMatchObject({ observedBytes: 8, storedBytes: 0, droppedBytes: 8 })
    expect(retained).toEqual({ text: "out\nerr\n" })
    expect(warnings).toEqual([{ code: "capture-storage-failed", text: expect.stringContaining("output.txt failed with EEXIST: 8 bytes") }])
  }))
