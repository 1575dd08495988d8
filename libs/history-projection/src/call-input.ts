/** What a call was asked, in one line: the command, path or pattern, else compact JSON of the arguments. */
import { type CallBlock, startedInput, type ToolCallStarted } from "@steno/contracts"

const telling = ["command", "path", "pattern"] as const

const inputOfBlock = (block: CallBlock): string => {
  if ("rawArguments" in block) return block.rawArguments
  const args = block.arguments
  const name = block.tool === "grep" || block.tool === "find" ? "pattern" : telling.find((key) => typeof args[key] === "string")
  const value = name === undefined ? undefined : args[name]
  return typeof value === "string" ? value : JSON.stringify(args)
}

/** Undefined where the start of the call cannot be read. `rawArguments` of a model are given as they are. */
export const callInput = (call: { readonly started?: ToolCallStarted; readonly asked?: CallBlock }): string | undefined =>
  call.started !== undefined ? startedInput(call.started).input : call.asked === undefined ? undefined : inputOfBlock(call.asked)
