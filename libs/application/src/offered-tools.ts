/** The tools of the catalog that a model of a Run is offered: the calls for control of the Run only where it takes them. */
import { isAgentCall, type StartInput } from "@steno/contracts"
import type { OfferedTool } from "@steno/harness-seam"
import { toolDefinitions } from "@steno/tool-catalog"
import { Schema } from "effect"

const asJson = Schema.decodeUnknownSync(Schema.Json)

const all: ReadonlyArray<OfferedTool> = toolDefinitions.map(({ description, inputSchema, name }) => ({
  name,
  description,
  inputSchema: asJson(inputSchema)
}))

const withoutAgentCalls = all.filter(({ name }) => !isAgentCall(name))

export const offeredTools = (agentCalls: StartInput["agentCalls"]): ReadonlyArray<OfferedTool> =>
  (agentCalls ?? "off") === "off" ? withoutAgentCalls : all
