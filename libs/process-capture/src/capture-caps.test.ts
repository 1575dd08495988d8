import { expect, it } from "@effect/vitest"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { CapturedCommands } from "./captured-commands.ts"
import { countLineFeeds } from "./line-feeds.ts"

const mebibyte = 1024 * 1024
const root = mkdtempSync(join(tmpdir(), "capture-caps-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let calls = 0
const run = Effect.fnUntraced(function*(command: string) {
  const commands = yield* CapturedCommands
  const directory = mkdtempSync(join(root, "call-"))
  const started = yield* commands.start({
    command,
    cwd: root,
    directory,
    marker: { name: "STENO_CALL_ID", value: `call_caps_${process.pid}_${++calls}` },
    environment: process.env
  })
  const { captured } = yield* started.ended
  const read = (name: string) => readFileSync(join(directory, name))
  return { captured, read, done: Effect.sync(() => rmSync(directory, { recursive: true })) }
})

/** Lines that are all different, so that a misplaced block shows. */
const numbers = execFileSync("seq", ["1", "3000000"], { maxBuffer: 32 * mebibyte })
const print = (bytes: number) => `seq 1 3000000 | head -c ${bytes}`
const headAndTail = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 12 * mebibyte), bytes.subarray(-4 * mebibyte)])
const layer = CapturedCommands.layerNoDeps.pipe(Layer.provideMerge(ProcessHost.layer))

it.layer(layer, { excludeTestServices: true })("caps at their real size", (it) => {
  it.effect.each([12 * mebibyte, 12 * mebibyte + 1, 16 * mebibyte])("%d bytes are kept whole", (size) =>
    Effect.gen(function*() {
      const { captured, read, done } = yield* run(print(size))
      expect(read("stdout.txt").equals(numbers.subarray(0, size))).toBe(true)
      expect(captured.facts.stdout).toMatchObject({ observedBytes: size, storedBytes: size, droppedBytes: 0 })
      expect(captured.facts.stdout).not.toHaveProperty("gapOffset")
      expect(captured.files.map((file) => file.name)).toEqual(["stdout.txt"])
      yield* done
    }))

  it.effect.each([16 * mebibyte + 1, 20 * mebibyte + 4_321])("of %d bytes the first 12 and the last 4 MiB stay, the rest is counted", (size) =>
    Effect.gen(function*() {
      const { captured, read, done } = yield* run(print(size))
      const printed = numbers.subarray(0, size)
      expect(read("stdout.txt").equals(headAndTail(printed))).toBe(true)
      const gapLine = countLineFeeds(printed.subarray(0, 12 * mebibyte))
      expect(captured.facts.stdout).toMatchObject({
        observedBytes: size,
        storedBytes: 16 * mebibyte,
        droppedBytes: size - 16 * mebibyte,
        gapOffset: 12 * mebibyte,
        gapLine
      })
      expect(captured.facts.stdout.observedLines).toBe(countLineFeeds(printed) + (printed.at(-1) === 10 ? 0 : 1))
      expect(captured.retained.dropped).toBe(true)
      expect(captured.retained.text).toBe(printed.subarray(-30_000).toString())
      yield* done
    }))

  it.effect("one line of 20 MiB: head and tail are kept, output.txt has its marker on a line of its own", () =>
    Effect.gen(function*() {
      const { captured, read, done } = yield* run("head -c 20971520 /dev/zero | tr '\\0' w; echo; sleep 0.4; echo err >&2")
      expect(captured.facts.stdout).toMatchObject({ observedBytes: 20 * mebibyte + 1, observedLines: 1, storedLines: 1 })
      const { output } = captured.facts
      const text = read("output.txt").toString("latin1")
      expect(text.length).toBeLessThanOrEqual(16 * mebibyte)
      expect(text.slice((output.gapOffset ?? 0) - 1).startsWith(`\n[steno: ${output.droppedBytes} bytes dropped here]\nw`)).toBe(true)
      expect(output.observedBytes - output.droppedBytes).toBe(
        text.length - `\n[steno: ${output.droppedBytes} bytes dropped here]\n`.length
      )
      expect(text.endsWith("w\nerr\n")).toBe(true)
      yield* done
    }))

  it.effect.each([
    ["1 byte", "printf a", "a", "a\nerr\n"],
    ["13 MiB", print(13 * mebibyte), undefined, undefined]
  ])("the second stream begins after %s: output.txt begins with all of the first", ([, command, stdout, output]) =>
    Effect.gen(function*() {
      const { captured, read, done } = yield* run(`${command}; sleep 0.4; echo err >&2`)
      const first = stdout === undefined ? numbers.subarray(0, 13 * mebibyte) : Buffer.from(stdout)
      const added = first.at(-1) === 10 ? "" : "\n"
      expect(read("output.txt").equals(output === undefined ? Buffer.concat([first, Buffer.from(`${added}err\n`)]) : Buffer.from(output))).toBe(true)
      expect(captured.facts.output.droppedBytes).toBe(0)
      yield* done
    }))

  it.effect("the second stream begins after 20 MiB: output.txt has both ends, whole lines at the gap, the other stream after", () =>
    Effect.gen(function*() {
      const { captured, read, done } = yield* run(`${print(20 * mebibyte)}; sleep 0.3; echo err >&2; seq 1 9`)
      const { output, stdout, stderr } = captured.facts
      const bytes = read("output.txt")
      const marker = `[steno: ${output.droppedBytes} bytes dropped here]\n`
      const gap = output.gapOffset ?? 0
      expect(bytes.subarray(gap, gap + marker.length).toString()).toBe(marker)
      expect(bytes.subarray(0, gap).equals(numbers.subarray(0, gap))).toBe(true)
      expect(bytes[gap - 1]).toBe(10)
      expect(12 * mebibyte - gap).toBeLessThan(64 * 1024)
      const tail = bytes.subarray(gap + marker.length)
      expect(tail.toString("latin1")).toMatch(/\n\d*\nerr\n1\n2\n3\n4\n5\n6\n7\n8\n9\n$/)
      const partial = numbers[20 * mebibyte - 1] === 10 ? 0 : 1
      const fromStdout = tail.subarray(0, tail.lastIndexOf("err\n") - partial)
      expect(fromStdout.equals(numbers.subarray(20 * mebibyte - fromStdout.length, 20 * mebibyte))).toBe(true)
      expect(output.observedBytes).toBe(stdout.observedBytes + stderr.observedBytes)
      expect(output.observedBytes - output.droppedBytes).toBe(bytes.length - marker.length - partial)
      yield* done
    }))
})
