/** The tools of the catalog that a model of a Run is offered: the calls for control of the Run only where it takes them. */
import { isAgentCall, type StartInput } from "@steno/contracts"
import type { OfferedTool } from "@steno/harness-seam"
import { toolDefinitions } from "@steno/tool-catalog"
import { Schema } from "effect"

const asJson = Schema.decodeUnknownSync(Schema.Json)

let offered: ReadonlyArray<OfferedTool> | undefined

const all = (): ReadonlyArray<OfferedTool> =>
  offered ??= toolDefinitions().map(({ description, inputSchema, name }) => ({ name, description, inputSchema: asJson(inputSchema) }))

export const offeredTools = (agentCalls: StartInput["agentCalls"]): ReadonlyArray<OfferedTool> =>
  (agentCalls ?? "off") === "off" ? all().filter(({ name }) => !isAgentCall(name)) : all()
