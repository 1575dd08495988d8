/** The scripted agent as a harness, with what its log says of it. */
import type { Harness } from "@steno/harness-seam"
import { ProcessHost } from "@steno/process-host"
import { Context, Effect, Layer } from "effect"
import { mkdtempSync, rmSync, watch } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type AcpHarnessOptions, makeAcpHarness } from "../acp-harness.ts"
import { type AcpAgent, customAgent } from "../acp-presets.ts"
import { type AgentEntry, readEntries } from "./agent-log.ts"
import type { AgentScenario } from "./agent-scenarios.ts"

const agentFile = fileURLToPath(new URL("scripted-agent.ts", import.meta.url))

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Resolves when the agent wrote an entry that `fits`. */
const entryThat = (log: string, fits: (entry: AgentEntry) => boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (!readEntries(log).some(fits)) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = watch(dirname(log), look)
    look()
    return Effect.sync(() => watcher.close())
  })

export interface ScriptedSubject {
  readonly agent: AcpAgent
  readonly harness: Harness
  readonly entries: () => ReadonlyArray<AgentEntry>
  readonly entry: (fits: (entry: AgentEntry) => boolean) => Effect.Effect<void>
  readonly running: () => number
}

const scriptedAgent = (scenario: AgentScenario, log: string, more: Partial<AcpAgent> = {}): AcpAgent =>
  customAgent({
    program: process.execPath,
    arguments: [agentFile, scenario, log],
    thoughts: "summaries",
    offered: { files: scenario === "client-files", terminals: scenario === "execute" || scenario === "client-terminals" },
    ...more
  })

/** A harness, not prepared, whose agent plays `scenario`. */
export const scriptedSubject = Effect.fnUntraced(function*(
  scenario: AgentScenario,
  more: Partial<AcpAgent> = {},
  find?: AcpHarnessOptions["find"]
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "scripted-agent-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const processHost = Context.get(yield* Layer.build(ProcessHost.layer), ProcessHost)
  const log = join(folder, "log.jsonl")
  const entries = () => readEntries(log)
  const agent = scriptedAgent(scenario, log, more)
  return {
    agent,
    harness: makeAcpHarness({ agent, processHost, ...(find === undefined ? {} : { find }) }),
    entries,
    entry: (fits) => entryThat(log, fits),
    running: () => entries().flatMap((entry) => ("pid" in entry && lives(entry.pid) ? [entry.pid] : [])).length
  } satisfies ScriptedSubject
})
