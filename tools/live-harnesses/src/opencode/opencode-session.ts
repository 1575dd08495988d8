/** Calls of opencode's own tools, as a model asks for them; its scripts and sessions. */
import type { Answer } from "../json-rpc-client.ts"
import { called, said, type Scenario, type Stage } from "../scenario.ts"
import { type AcpClient, startAcp } from "./acp-client.ts"

export const bash = (command: string, id?: string) => called("bash", { command }, id)

/** opencode asks for a title of each session beside the conversation. */
export const scripted = (...steps: Scenario["script"]["steps"]) => ({
  asides: [{ expect: { system: "title generator" }, answer: { content: [said("A title")] } }],
  steps
})

export const startSession = async (stage: Stage, answer?: Answer): Promise<AcpClient> => {
  const agent = await startAcp(stage, answer)
  await agent.newSession()
  return agent
}
