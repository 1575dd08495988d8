/**
 * The outside agents of a home: those that Steno knows by name, and any other one by the command that the configuration names.
 *
 * Owns: which there are and in which order, what people are told each needs, which adapter speaks to it.
 * Never owns: their protocols (their adapters), when a program is started (outside-agent).
 * Limits: an adapter is loaded when its agent is asked for: most starts have to do with none.
 */
import type { HarnessEntry } from "@steno/application"
import { type HomeConfig, IdMinter } from "@steno/contracts"
import { makeHarnessProfile } from "@steno/harness-seam"
import { Effect } from "effect"
import type { AgentCommand, AgentPlace, DescribedAgent } from "./agent-place.ts"
import type { OpenedHome } from "./home.ts"
import type { OutsideAgent } from "./outside-agent.ts"
import { QualificationCache } from "./qualification-cache.ts"

type MakeAgent = (place: AgentPlace, described: DescribedAgent, command: AgentCommand) => OutsideAgent

interface KnownAgent extends DescribedAgent {
  readonly program: string
  readonly adapter: Effect.Effect<MakeAgent>
}

const acp = Effect.promise(() => import("./acp-agent.ts").then(({ makeAcpAgent }) => makeAcpAgent))

const ownModel = (program: string) => `The program ${program}, with a model of its own.`

const knownAgents: ReadonlyArray<KnownAgent> = [
  {
    id: "claude-code",
    name: "Claude Code",
    program: "claude",
    needs: "The program claude, logged in, or ANTHROPIC_API_KEY.",
    adapter: Effect.promise(() => import("./claude-code-agent.ts").then(({ makeClaudeCodeAgent }) => makeClaudeCodeAgent))
  },
  {
    id: "codex",
    name: "Codex",
    program: "codex",
    needs: "The program codex, with a login or a model provider of its own.",
    adapter: Effect.promise(() => import("./codex-agent.ts").then(({ makeCodexAgent }) => makeCodexAgent))
  },
  { id: "opencode", name: "opencode", program: "opencode", needs: ownModel("opencode"), adapter: acp },
  { id: "gemini", name: "Gemini CLI", program: "gemini", needs: ownModel("gemini"), adapter: acp },
  { id: "goose", name: "goose", program: "goose", needs: ownModel("goose"), adapter: acp }
]

const installed = (place: AgentPlace, { adapter, id, name, needs }: KnownAgent, command: AgentCommand): Effect.Effect<HarnessEntry> =>
  Effect.map(Effect.cached(Effect.map(adapter, (make) => make(place, { id, name, needs }, command))), (agent) => ({
    id,
    name,
    needs,
    agent: "outside",
    model: { kind: "own" },
    harness: {
      id,
      name,
      profile: makeHarnessProfile([]),
      prepare: (options) => Effect.flatMap(agent, ({ prepare }) => prepare(options))
    },
    look: (workspace) => Effect.flatMap(agent, ({ look }) => look(workspace)),
    check: (workspace) => Effect.flatMap(agent, ({ check }) => check(workspace))
  }))

export interface AgentHome extends Pick<AgentPlace, "processHost" | "environment"> {
  readonly home: OpenedHome
  readonly config: HomeConfig
}

/** In the order they are shown in; those of the configuration last, as agents of the Agent Client Protocol. */
export const installedAgents = Effect.fnUntraced(function*({ config: { harnesses = {} }, environment, home, processHost }: AgentHome) {
  const ids = yield* IdMinter
  const place: AgentPlace = {
    processHost,
    cache: new QualificationCache(home.path, home.access),
    environment,
    asked: (workspace) => Effect.map(ids.mint("turn"), (turnId) => ({ workspace, environment, turnId, secrets: [] }))
  }
  const known = knownAgents.map((agent) => [agent, harnesses[agent.id]?.command ?? [agent.program]] as const)
  const others = Object.entries(harnesses).filter(([id]) => !knownAgents.some((agent) => agent.id === id)).map(([id, { command }]) =>
    [{ id, name: id, program: command[0], needs: ownModel(command[0]), adapter: acp }, command] as const)
  return yield* Effect.forEach([...known, ...others], ([agent, command]) => installed(place, agent, command))
})
