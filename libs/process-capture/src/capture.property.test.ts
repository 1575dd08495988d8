import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll } from "vitest"
import type { CaptureCaps } from "./capture-caps.ts"
import { makeCaptureFiles } from "./capture-files-layer.ts"
import { LiveCapture } from "./live-capture.ts"

const root = mkdtempSync(join(tmpdir(), "capture-property-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const caps: CaptureCaps = {
  headBytes: 300,
  tailBytes: 200,
  borderBytes: 40,
  partialLineMs: 200,
  partialLineBytes: 16,
  waitingBytes: 64,
  writeBytes: 48
}

type Write = readonly ["stdout" | "stderr", Buffer]

const text = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom("\n", "\r\n", "a", "é", "語", "😀") }, fc.string({ maxLength: 30 })),
  { maxLength: 20 }
).map((parts) => Buffer.from(parts.join("")))
const writes = fc.array(fc.tuple(fc.constantFrom("stdout", "stderr"), text), { maxLength: 12 })
/** Cuts every write at any byte, also inside characters. */
const split = ([source, bytes]: Write, at: number): ReadonlyArray<Write> =>
  [bytes.subarray(0, at % (bytes.length + 1)), bytes.subarray(at % (bytes.length + 1))].map((part) => [source, part] as const)

const capture = Effect.fnUntraced(function*(chunks: ReadonlyArray<Write>) {
  const directory = mkdtempSync(join(root, "c-"))
  const live = LiveCapture.open(directory, caps)
  if (!(live instanceof LiveCapture)) throw live
  const pipes = { stdout: new PassThrough(), stderr: new PassThrough() }
  live.read("stdout", pipes.stdout)
  live.read("stderr", pipes.stderr)
  for (const [source, bytes] of chunks) {
    pipes[source].write(bytes)
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  pipes.stdout.end()
  pipes.stderr.end()
  yield* live.drained
  return { directory, captured: yield* live.close }
})

const fileIn = (directory: string, name: string): Buffer =>
  readdirSync(directory).includes(name) ? readFileSync(join(directory, name)) : Buffer.alloc(0)

const linesOf = (bytes: Buffer): ReadonlyArray<string> => {
  const lines = bytes.toString("latin1").split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

it.effect("any split of the bytes gives exact stream files, exact counts and joined tails", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(writes, fc.nat({ max: 200 }), (all, at) =>
        Effect.runPromise(Effect.gen(function*() {
          const { directory, captured } = yield* capture(all.flatMap((one) => split(one, at)))
          for (const source of ["stdout", "stderr"] as const) {
            const printed = Buffer.concat(all.filter(([from]) => from === source).map(([, bytes]) => bytes))
            const whole = caps.headBytes + caps.tailBytes
            const kept = printed.length <= whole
              ? printed
              : Buffer.concat([printed.subarray(0, caps.headBytes), printed.subarray(-caps.tailBytes)])
            expect(fileIn(directory, `${source}.txt`).equals(kept)).toBe(true)
            const facts = captured.facts[source]
            expect(facts.observedBytes).toBe(printed.length)
            expect(facts.droppedBytes).toBe(printed.length - kept.length)
            expect(facts.observedLines).toBe(linesOf(printed).length)
            expect(facts.storedLines).toBe(linesOf(kept).length)
            expect(facts.gapOffset).toBe(printed.length > whole ? caps.headBytes : undefined)
          }
          const output = captured.facts.output
          const stored = captured.outputFile === undefined ? Buffer.alloc(0) : fileIn(directory, captured.outputFile)
          expect(output.storedBytes).toBe(stored.length)
          expect(output.observedBytes).toBe(captured.facts.stdout.observedBytes + captured.facts.stderr.observedBytes)
          if (captured.outputFile === "output.txt" && output.droppedBytes > 0) {
            const marker = Buffer.from(`[steno: ${output.droppedBytes} bytes dropped here]\n`)
            expect(stored.indexOf(marker)).toBe(output.gapOffset)
            expect(linesOf(stored.subarray(0, output.gapOffset)).length).toBe(output.gapLine)
            expect(stored.length).toBeLessThanOrEqual(caps.headBytes + caps.tailBytes)
          }
          expect(readdirSync(directory).filter((name) => /tail|part|new/.test(name))).toEqual([])
          rmSync(directory, { recursive: true })
        }))),
      { numRuns: 80 }
    )
  ), 60_000)

it.effect("output.txt holds every line of both streams whole and in the order of its stream", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(
        fc.record({ stdout: fc.array(fc.nat({ max: 3 }), { maxLength: 8 }), stderr: fc.array(fc.nat({ max: 3 }), { maxLength: 8 }) }),
        fc.nat({ max: 9 }),
        fc.array(fc.constantFrom("stdout", "stderr"), { maxLength: 40 }),
        (lengths, at, order) =>
          Effect.runPromise(Effect.gen(function*() {
            const linesFrom = (source: "stdout" | "stderr") =>
              lengths[source].map((length, index): Write => [source, Buffer.from(`${source} ${index} ${"é".repeat(length)}\n`)])
            const ended = [...linesFrom("stdout"), ...linesFrom("stderr")]
            const waiting = {
              stdout: linesFrom("stdout").flatMap((one) => split(one, at)),
              stderr: linesFrom("stderr").flatMap((one) => split(one, at))
            }
            const chunks = order.flatMap((source) => waiting[source].splice(0, 1))
            const { directory, captured } = yield* capture([...chunks, ...waiting.stdout, ...waiting.stderr])
            const output = captured.outputFile === undefined ? [] : linesOf(fileIn(directory, captured.outputFile))
            expect(output.toSorted()).toEqual(ended.map(([, bytes]) => linesOf(bytes)[0]).toSorted())
            for (const source of ["stdout", "stderr"]) {
              expect(output.filter((line) => line.startsWith(source))).toEqual(linesOf(fileIn(directory, `${source}.txt`)))
            }
          }))
      ),
      { numRuns: 60 }
    )
  ), 60_000)

it.effect("joined pages are the file's lines for any limit and any ending", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), (printed, limit) =>
        Effect.runPromise(Effect.gen(function*() {
          const { directory, captured } = yield* capture([["stdout", printed]])
          const files = yield* makeCaptureFiles(caps)
          const bytes = fileIn(directory, "stdout.txt")
          const expected = bytes.toString("utf8").split("\n")
          if (expected.at(-1) === "") expected.pop()
          const ends = bytes.at(-1) === 10 || bytes.length === 0
          const shown = expected.map((line, index) =>
            line.endsWith("\r") && (ends || index < expected.length - 1) ? line.slice(0, -1) : line)
          const lines: Array<string> = []
          let offset: number | undefined = 0
          while (offset !== undefined) {
            const page: Effect.Success<ReturnType<typeof files.page>> = yield* files.page({ directory, stream: "output", offset, limit, closed: true })
            expect(page.totalLines).toBe(captured.facts.stdout.storedLines)
            expect(page.endOffset - page.offset).toBe(page.lines.length)
            lines.push(...page.lines)
            offset = page.nextOffset
          }
          expect(lines).toEqual(shown)
        }))),
      { numRuns: 80 }
    )
  ), 60_000)
