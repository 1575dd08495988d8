/** Codex as an outside agent of a home. */
import { CodexFacts, type CodexProbes, judgeCodex, makeCodexHarnessOver, probeCodex, type ProbeFolder } from "@steno/harness-codex"
import { Effect } from "effect"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AgentCommand, AgentPlace, DescribedAgent } from "./agent-place.ts"
import { makeOutsideAgent } from "./outside-agent.ts"

const probeFolder = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "steno-probe-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  ),
  (path): ProbeFolder => ({
    path,
    read: (file) => Effect.orElseSucceed(Effect.tryPromise(() => readFile(join(path, file), "utf8")), () => undefined)
  })
)

export const makeCodexAgent = (place: AgentPlace, described: DescribedAgent, command: AgentCommand) => {
  const { processHost: processes } = place
  const probes: CodexProbes = { processes, command, probeFolder }
  const [, ...words] = command
  return makeOutsideAgent({
    ...described,
    ...place,
    command,
    schema: CodexFacts,
    probe: (path, workspace) => Effect.flatMap(place.asked(workspace), (look) => probeCodex(probes, look, path)),
    judge: judgeCodex,
    harness: (found) =>
      makeCodexHarnessOver({
        processes,
        words,
        qualify: ({ workspace }) => Effect.flatMap(found(workspace), ({ finding, path }) => judgeCodex(path, finding))
      })
  })
}
