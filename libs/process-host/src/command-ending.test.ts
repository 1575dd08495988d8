import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { whoIsLeft } from "./command-ending.ts"
import { CommandKin } from "./command-kin.ts"
import { type CommandSpec, ProcessHost } from "./process-host.ts"

const root = mkdtempSync(join(tmpdir(), "command-ending-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let calls = 0
const specOf = (command: string): CommandSpec => {
  const directory = mkdtempSync(join(root, "call-"))
  const marker = { name: "STENO_CALL_ID", value: `call_ending_${process.pid}_${++calls}` } as const
  return { command, cwd: directory, directory, marker, environment: process.env }
}

it.layer(ProcessHost.layer, { excludeTestServices: true })("ending a command whose shell is gone", (it) => {
  it.effect("who outlived the shell is asked with SIGTERM too, and killed after the grace if it does not go", () =>
    Effect.gen(function*() {
      const host = yield* ProcessHost
      const spec = specOf([
        "(trap 'echo cleaned >tidy; exit' TERM; touch tidy; while :; do sleep 0.02; done) &",
        "(trap '' TERM; touch deaf; exec sleep 300) &",
        "while [ ! -e tidy ] || [ ! -e deaf ]; do sleep 0.01; done"
      ].join("\n"))
      const running = yield* host.start(spec)
      yield* running.exited
      const before = performance.now()
      expect(yield* running.terminate({ grace: true })).toEqual({ kind: "confirmed" })
      expect(performance.now() - before).toBeGreaterThanOrEqual(1_990)
      expect(readFileSync(join(spec.directory, "tidy"), "utf8")).toBe("cleaned\n")
      expect(yield* running.survivors).toEqual([])
      yield* running.release
    }))

  it.effect("a child forked after the first look is still found by its session when everyone seen is dead", () =>
    Effect.gen(function*() {
      const spec = specOf(": >ready; until [ -e go ]; do :; done; env -i sleep 300 >/dev/null 2>&1 & echo $! >forked; wait")
      const host = yield* ProcessHost
      const running = yield* host.start(spec)
      while (!existsSync(join(spec.directory, "ready"))) yield* Effect.sleep(5)
      const shell = running.identity ?? (yield* host.self)
      const kin = new CommandKin(shell, { name: "STENO_CALL_ID", value: "call_nobody" }, false)
      expect((yield* whoIsLeft(kin)).map((entry) => entry.pid)).toEqual([shell.pid])
      writeFileSync(join(spec.directory, "go"), "")
      const forked = (): string => existsSync(join(spec.directory, "forked")) ? readFileSync(join(spec.directory, "forked"), "utf8") : ""
      while (!forked().endsWith("\n")) yield* Effect.sleep(5)
      process.kill(shell.pid, "SIGKILL")
      yield* running.exited
      expect((yield* whoIsLeft(kin)).map((entry) => entry.pid)).toEqual([Number(forked())])
      expect(yield* running.terminate({ grace: false })).toEqual({ kind: "confirmed" })
    }))
})
