/** The harness over the scripted program: how it is started, and what its journal says. */
import { conformanceSecret } from "@steno/harness-seam/testing"
import type { Harness } from "@steno/harness-seam"
import { ProcessHost } from "@steno/process-host"
import { Context, Effect, Layer } from "effect"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { makeClaudeCodeHarness } from "../claude-harness.ts"
import { type Fields, isFields, textAt } from "../frame-fields.ts"

const program = fileURLToPath(new URL("./scripted-claude.ts", import.meta.url))

export interface ScriptedHarness {
  readonly harness: Harness
  /** The values of the journal's notes of one kind, in order. */
  readonly notes: (kind: string) => ReadonlyArray<unknown>
  /** Inputs and Steers. */
  readonly inputs: () => ReadonlyArray<string>
  /** In the order they were asked for. */
  readonly approvals: () => ReadonlyArray<"allowed" | "denied" | "cancelled">
  /** Programs and their commands that live. */
  readonly running: () => number
}

const lives = (pid: unknown): boolean => {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8")
    return !/^\d+ \(.*\) [ZX]/s.test(stat)
  } catch {
    return false
  }
}

const isDecision = (value: unknown): value is "allowed" | "denied" | "cancelled" =>
  value === "allowed" || value === "denied" || value === "cancelled"

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Removed with the scope. */
export const scriptedHarness = (scenario: string, variables: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const processHost = Context.get(yield* Layer.build(ProcessHost.layer), ProcessHost)
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "scripted-claude-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const [launcher, journal] = [join(folder, "claude"), join(folder, "journal.jsonl")]
    const set = Object.entries({
      SCRIPTED_SCENARIO: scenario,
      SCRIPTED_JOURNAL: journal,
      SCRIPTED_SECRET: conformanceSecret,
      ...variables
    }).map(([name, value]) => `${name}=${quoted(value)}`).join(" ")
    writeFileSync(launcher, `#!/bin/sh\n${set} exec ${quoted(process.execPath)} ${quoted(program)} "$@"\n`)
    chmodSync(launcher, 0o700)
    const all = (): ReadonlyArray<Fields> =>
      existsSync(journal)
        ? readFileSync(journal, "utf8").split("\n").filter((line) => line !== "").map((line): unknown => JSON.parse(line)).filter(isFields)
        : []
    const notes = (kind: string): ReadonlyArray<unknown> =>
      all().filter((note) => note["kind"] === kind).map((note) => note["value"])
    const scripted: ScriptedHarness = {
      harness: makeClaudeCodeHarness({ processHost, command: [launcher] }),
      notes,
      inputs: () => notes("input").filter((value) => typeof value === "string"),
      approvals: () => {
        const answered = notes("answered").filter(isFields)
        return notes("asked").flatMap((requestId) => {
          const as = textAt(answered.find((answer) => answer["requestId"] === requestId) ?? {}, "as")
          return isDecision(as) ? [as] : []
        })
      },
      running: () => notes("pid").filter(lives).length
    }
    return scripted
  })
