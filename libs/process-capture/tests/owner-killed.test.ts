import { expect, it } from "@effect/vitest"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { CaptureFiles } from "../src/capture-files.ts"
import { countLineFeeds } from "../src/line-feeds.ts"
import { spawnOwner } from "./owner-process.ts"

const mebibyte = 1024 * 1024
const root = mkdtempSync(join(tmpdir(), "owner-killed-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Kills the owner with SIGKILL once `isTime`, then ends what it left, as recovery does. */
const killOwner = Effect.fnUntraced(function*(command: string, isTime: (directory: string) => boolean) {
  const host = yield* ProcessHost
  const directory = mkdtempSync(join(root, "call-"))
  const marker = `call_killed_${process.pid}_${directory.slice(-6)}`
  const owner = spawnOwner({ command, directory, marker })
  const gone = new Promise((resolve) => owner.once("exit", resolve))
  while (!isTime(directory)) yield* Effect.sleep(2)
  owner.kill("SIGKILL")
  yield* Effect.promise(() => gone)
  const swept = yield* host.sweep({ marker: { name: "STENO_CALL_ID", value: marker }, root: undefined })
  expect(swept.ending).toEqual({ kind: "confirmed" })
  return { directory, ended: swept.ended }
})

const numbers = execFileSync("seq", ["1", "3000000"], { maxBuffer: 32 * mebibyte })

it.layer(Layer.mergeAll(ProcessHost.layer, CaptureFiles.layer), { excludeTestServices: true })("a killed owner", (it) => {
  it.effect("leaves a child in its own session: it is found, the output is readable and marked incomplete", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const { directory, ended } = yield* killOwner(
        "echo out; echo err >&2; setsid sleep 300",
        (folder) => sizeOf(join(folder, "output.txt")) === 8
      )
      expect(ended.map((one) => one.command)).toContain("sleep 300")
      const before = yield* files.inspect(directory)
      const recovered = yield* files.recover(directory)
      expect(before.facts).toEqual(recovered.facts)
      expect(recovered.retained.incomplete).toBe(true)
      expect(recovered.retained.text.split("\n").toSorted()).toEqual(["", "err", "out"])
      expect(recovered.facts.stdout).toMatchObject({ observedBytes: 4, storedBytes: 4, droppedBytes: 0, observedLines: 1 })
      expect(readdirSync(directory)).toEqual(["output.txt", "stderr.txt", "stdout.txt"])
      expect(yield* files.recover(directory)).toEqual(recovered)
    }))

  it.effect.each([[1, 0], [3, 100_000]] as const)("while segment %d of the tail is written: head, tail and counts are those of what was written", ([segment, length]) =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      const name = segment % 2 === 0 ? "stdout.txt.tail-a" : "stdout.txt.tail-b"
      const isIn = (folder: string): boolean => {
        if (sizeOf(join(folder, name)) < 4 * mebibyte + 32) return false
        const header = Buffer.alloc(32)
        const fd = openSync(join(folder, name), "r")
        readSync(fd, header, 0, 32, 4 * mebibyte)
        closeSync(fd)
        return header.readDoubleLE(8) >= segment && header.readDoubleLE(24) >= length
      }
      const { directory } = yield* killOwner("(seq 1 3000000; seq 1 3000000) | while head -c 524288; do sleep 0.01; done", isIn)
      const inspected = yield* files.inspect(directory)
      const { facts, retained } = yield* files.recover(directory)
      const { observedBytes, droppedBytes } = facts.stdout
      expect(observedBytes).toBeGreaterThanOrEqual((12 + 4 * segment) * mebibyte)
      const all = Buffer.concat([numbers, numbers]).subarray(0, observedBytes)
      const stored = readFileSync(join(directory, "stdout.txt"))
      expect(stored.subarray(0, 12 * mebibyte).equals(all.subarray(0, 12 * mebibyte))).toBe(true)
      expect(stored.subarray(12 * mebibyte).equals(all.subarray(-(stored.length - 12 * mebibyte)))).toBe(true)
      expect(droppedBytes).toBe(observedBytes - stored.length)
      expect(stored.length).toBe(16 * mebibyte)
      expect(facts.stdout.observedLines).toBe(countLineFeeds(all) + (all.at(-1) === 10 ? 0 : 1))
      expect(inspected.facts.stdout.observedBytes).toBe(observedBytes)
      expect(inspected.facts.stdout.observedLines).toBe(facts.stdout.observedLines)
      expect(retained.text).toBe(all.subarray(-30_000).toString())
      expect(readdirSync(directory)).toEqual(droppedBytes > 0 ? ["capture.json", "stdout.txt"] : ["stdout.txt"])
      expect((yield* files.recover(directory)).facts).toEqual(facts)
      expect((yield* files.inspect(directory)).facts).toEqual(facts)
    }))

  it.effect("a folder without files has zero facts", () =>
    Effect.gen(function*() {
      const files = yield* CaptureFiles
      for (const directory of [mkdtempSync(join(root, "empty-")), join(root, "missing")]) {
        const { facts, files: found, warnings } = yield* files.recover(directory)
        expect(facts.output).toEqual({ observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 })
        expect([found, warnings]).toEqual([[], []])
      }
    }))
})
