/** Agents of the Agent Client Protocol as outside agents of a home: one that is known by name, or any other by its command. */
import { type AcpAgent, acpAgents, AcpFinding, agentWithCommand, customAgent, judgeAcpAgent, makeAcpHarness, probeAcpAgent } from "@steno/harness-acp"
import { Effect } from "effect"
import type { AgentCommand, AgentPlace, DescribedAgent } from "./agent-place.ts"
import { makeOutsideAgent } from "./outside-agent.ts"

const agentOf = ({ id, name }: DescribedAgent, command: AgentCommand): AcpAgent => {
  const known = Object.values(acpAgents).find((agent) => agent.id === id)
  const [program, ...words] = command
  return known === undefined ? customAgent({ id, name, program, arguments: words }) : agentWithCommand(known, command)
}

export const makeAcpAgent = (place: AgentPlace, described: DescribedAgent, command: AgentCommand) => {
  const { processHost } = place
  const agent = agentOf(described, command)
  return makeOutsideAgent({
    ...described,
    ...place,
    command,
    schema: AcpFinding,
    probe: (path, workspace) => Effect.flatMap(place.asked(workspace), (look) => probeAcpAgent({ agent, processHost }, path, look)),
    judge: (_, finding) => Effect.succeed(judgeAcpAgent(agent, finding)),
    harness: (found) =>
      makeAcpHarness({
        agent,
        processHost,
        find: ({ workspace }) =>
          Effect.map(found(workspace), ({ finding: { version }, path }) => ({ path, ...(version === undefined ? {} : { version }) }))
      })
  })
}
