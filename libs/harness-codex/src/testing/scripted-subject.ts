/** A harness over the scripted program, and what that program wrote down. */
import type { Harness } from "@steno/harness-seam"
import { ProcessHost } from "@steno/process-host"
import { Context, Effect, Layer, type Scope } from "effect"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeCodexHarnessOver } from "../codex-harness.ts"
import { codexProfile } from "../codex-profile.ts"

const script = fileURLToPath(new URL("./scripted-codex.ts", import.meta.url))

export interface ScriptedEntry {
  readonly pid?: number
  readonly input?: string
  readonly approval?: string
  /** Number of the Turn whose scenario is through. */
  readonly played?: number
  /** Thread whose terminals it was asked to end. */
  readonly cleaned?: string
  /** Native Turn that it was asked to interrupt. */
  readonly interrupted?: string
}

export interface ScriptedCodex {
  readonly harness: Harness
  readonly entries: () => ReadonlyArray<ScriptedEntry>
  /** Processes of it that live. */
  readonly running: () => number
}

const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** A Codex that plays `scenario`, as the scripted program names it. */
export const scriptedCodex = (scenario: string): Effect.Effect<ScriptedCodex, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-codex-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const [path, journal] = [join(folder, "codex"), join(folder, "journal")]
    writeFileSync(journal, "")
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${script}' '${scenario}' '${journal}'\n`)
    chmodSync(path, 0o755)
    const processes = Context.get(yield* Layer.build(ProcessHost.layer), ProcessHost)
    const entries = () =>
      readFileSync(journal, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as ScriptedEntry)
    return {
      harness: makeCodexHarnessOver({
        processes,
        qualify: () => Effect.succeed({ path, version: "0.171.0", profile: codexProfile })
      }),
      entries,
      running: () => entries().flatMap(({ pid }) => (pid === undefined ? [] : [pid])).filter(isRunning).length
    }
  })
