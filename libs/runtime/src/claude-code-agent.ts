/** Claude Code as an outside agent of a home. */
import { ClaudeCodeFinding, makeClaudeCodeHarness, probeClaudeCode, qualify } from "@steno/harness-claude-code"
import { PrepareError } from "@steno/harness-seam"
import { Effect } from "effect"
import type { AgentCommand, AgentPlace, DescribedAgent } from "./agent-place.ts"
import { makeOutsideAgent } from "./outside-agent.ts"

export const makeClaudeCodeAgent = (place: AgentPlace, described: DescribedAgent, command: AgentCommand) => {
  const options = { processHost: place.processHost, command }
  return makeOutsideAgent({
    ...described,
    ...place,
    command,
    schema: ClaudeCodeFinding,
    probe: (path, workspace) => Effect.flatMap(place.asked(workspace), (look) => probeClaudeCode(options, path, look)),
    judge: (_, { version }) => {
      const judged = qualify(version)
      return judged.kind === "qualified" ? Effect.succeed(judged) : Effect.fail(new PrepareError({ reason: judged.reason }))
    },
    harness: (found) => makeClaudeCodeHarness({ ...options, find: ({ workspace }) => Effect.map(found(workspace), ({ path }) => path) })
  })
}
