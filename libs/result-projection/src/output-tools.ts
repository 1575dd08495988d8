/** The tools whose result is an output, each with how a reading of it is projected. A further one does not compile without a line here. */
import type { ToolName } from "@steno/contracts"
import { type CommandFacts, projectCommand } from "./command-policy.ts"
import type { OutputReading } from "./output-reading.ts"
import type { Projection } from "./result-policy.ts"
import type { ValueTool } from "./tool-results.ts"

export type OutputTool = Exclude<ToolName, ValueTool>

export const outputTools: { readonly [Name in OutputTool]: (reading: OutputReading, facts: CommandFacts) => Projection } = {
  bash: projectCommand
}

export const isOutputTool = (tool: string): tool is OutputTool => Object.hasOwn(outputTools, tool)
