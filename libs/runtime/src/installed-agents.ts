/**
 * The outside agents of a home: those that Steno knows by name, and any other one by the command that the configuration names.
 *
 * Owns: which there are and in which order, what each needs, how a configured command changes one.
 * Never owns: their protocols and what a finding means (their adapters), when a program is started (outside-agent).
 */
import { type HarnessEntry, HomeFolder } from "@steno/application"
import { type HomeConfig, IdMinter } from "@steno/contracts"
import {
  type AcpAgent,
  acpAgents,
  AcpFinding,
  agentWithCommand,
  customAgent,
  judgeAcpAgent,
  makeAcpHarness,
  probeAcpAgent
} from "@steno/harness-acp"
import { ClaudeCodeFinding, makeClaudeCodeHarness, probeClaudeCode, qualify as qualifyClaudeCode } from "@steno/harness-claude-code"
import { CodexFacts, type CodexProbes, judgeCodex, makeCodexHarnessOver, probeCodex, type ProbeFolder } from "@steno/harness-codex"
import { PrepareError, type PrepareOptions } from "@steno/harness-seam"
import { ProcessHost } from "@steno/process-host"
import { Effect } from "effect"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeOutsideAgent } from "./outside-agent.ts"
import { PersonEnvironment, type Variables } from "./person-environment.ts"
import { QualificationCache } from "./qualification-cache.ts"

type Command = NonNullable<HomeConfig["harnesses"]>[string]["command"]

/** What every adapter is made with here. */
interface Place {
  readonly processHost: ProcessHost["Service"]
  readonly cache: QualificationCache
  readonly environment: Variables
  /** What a program is looked at with, in a workspace. */
  readonly asked: (workspace: string) => Effect.Effect<PrepareOptions>
}

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

const claudeCode = ({ asked, cache, environment, processHost }: Place, command: Command = ["claude"]): HarnessEntry => {
  const options = { processHost, command }
  const { id, name } = makeClaudeCodeHarness(options)
  return makeOutsideAgent({
    id,
    name,
    needs: "The program claude, logged in, or ANTHROPIC_API_KEY.",
    find: { program: command[0], install: "Install Claude Code, or name its program in the configuration." },
    processHost,
    cache,
    environment,
    schema: ClaudeCodeFinding,
    probe: (path, workspace) => Effect.flatMap(asked(workspace), (look) => probeClaudeCode(options, path, look)),
    judge: (_, { version }) => {
      const judged = qualifyClaudeCode(version)
      return judged.kind === "qualified" ? Effect.succeed(judged) : Effect.fail(new PrepareError({ reason: judged.reason }))
    },
    harness: (found) => makeClaudeCodeHarness({ ...options, find: ({ workspace }) => Effect.map(found(workspace), ({ path }) => path) })
  })
}

const codex = ({ asked, cache, environment, processHost }: Place, command: Command = ["codex"]): HarnessEntry => {
  const probes: CodexProbes = { processes: processHost, command, probeFolder }
  const [program, ...words] = command
  return makeOutsideAgent({
    id: "codex",
    name: "Codex",
    needs: "The program codex, with a login or a model provider of its own.",
    find: { program, install: "Install Codex, or name its program in the configuration." },
    processHost,
    cache,
    environment,
    schema: CodexFacts,
    probe: (path, workspace) => Effect.flatMap(asked(workspace), (look) => probeCodex(probes, look, path)),
    judge: judgeCodex,
    harness: (found) =>
      makeCodexHarnessOver({
        processes: processHost,
        words,
        qualify: ({ workspace }) => Effect.flatMap(found(workspace), ({ finding, path }) => judgeCodex(path, finding))
      })
  })
}

const acpAgent = ({ asked, cache, environment, processHost }: Place, agent: AcpAgent): HarnessEntry =>
  makeOutsideAgent({
    id: agent.id,
    name: agent.name,
    needs: `The program ${agent.program}, with a model of its own.`,
    find: { program: agent.program, install: `Install ${agent.name}, or name its program in the configuration.` },
    processHost,
    cache,
    environment,
    schema: AcpFinding,
    probe: (path, workspace) => Effect.flatMap(asked(workspace), (look) => probeAcpAgent({ agent, processHost }, path, look)),
    judge: (_, finding) => Effect.succeed(judgeAcpAgent(agent, finding)),
    harness: (found) =>
      makeAcpHarness({
        agent,
        processHost,
        find: ({ workspace }) =>
          Effect.map(found(workspace), ({ finding: { version }, path }) => ({ path, ...(version === undefined ? {} : { version }) }))
      })
  })

const known: ReadonlySet<string> = new Set(["claude-code", "codex", ...Object.keys(acpAgents)])

/** In the order they are shown in; those of the configuration last, as agents of the Agent Client Protocol. */
export const installedAgents = Effect.gen(function*() {
  const { access, config: { harnesses = {} }, path } = yield* HomeFolder
  const environment = yield* PersonEnvironment
  const ids = yield* IdMinter
  const place: Place = {
    processHost: yield* ProcessHost,
    cache: new QualificationCache(path, access),
    environment,
    asked: (workspace) => Effect.map(ids.mint("turn"), (turnId) => ({ workspace, environment, turnId, secrets: [] }))
  }
  const commandOf = (id: string): Command | undefined => harnesses[id]?.command
  const named = Object.values(acpAgents).map((agent) => agentWithCommand(agent, commandOf(agent.id) ?? [agent.program]))
  const others = Object.entries(harnesses).filter(([id]) => !known.has(id)).map(([id, { command: [program, ...words] }]) =>
    customAgent({ id, name: id, program, arguments: words }))
  return [
    claudeCode(place, commandOf("claude-code")),
    codex(place, commandOf("codex")),
    ...[...named, ...others].map((agent) => acpAgent(place, agent))
  ]
})
