/**
 * What is played with one program: the words of the model, the client's part, what is looked at beside the lines.
 *
 * Never owns: the lines themselves (recorded-process).
 */
import type { ModelScript } from "@steno/contracts"
import type { ScriptedModel } from "@steno/tool-scripted-model"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { RecordedProcess } from "./recorded-process.ts"
import type { Scratch } from "./scratch.ts"

export interface Stage {
  readonly scratch: Scratch
  readonly model: ScriptedModel
  /** Starts one more process of the program. */
  readonly launch: (programArguments: ReadonlyArray<string>, environment?: Readonly<Record<string, string>>) => RecordedProcess
  /** Kept in the header. */
  readonly observe: (name: string, value: boolean | number | string | ReadonlyArray<string>) => void
}

export interface Scenario {
  readonly name: string
  readonly description: string
  readonly script: typeof ModelScript.Encoded
  /** In the Workspace before the program starts: path to text. */
  readonly files?: Readonly<Record<string, string>>
  readonly play: (stage: Stage) => Promise<void>
}

/** How the server of `greeting-server.ts` is started. */
export const greeter = { command: process.execPath, args: [fileURLToPath(new URL("greeting-server.ts", import.meta.url))] }

/** The text of a file of the Workspace; what it holds when the scenario is over. */
export const textOf = ({ scratch }: Stage, name: string): string => readFileSync(join(scratch.workspace, name), "utf8")

/** Which model requests (from 1) hold the text, in their JSON. */
export const requestsWith = ({ model }: Stage, text: string): ReadonlyArray<string> =>
  model.requests().filter(({ body }) => JSON.stringify(body).includes(text)).map(({ number }) => String(number))

type Step = (typeof ModelScript.Encoded)["steps"][number]
type Block = NonNullable<Extract<Step, { readonly answer: unknown }>["answer"]>["content"][number]

type Arguments = Extract<Block, { readonly arguments: unknown }>["arguments"]

export const said = (text: string): Block => ({ type: "text", text })
export const thought = (text: string): Block => ({ type: "thought", text })
/** @param id given where two conversations would call by the same one */
export const called = (tool: string, given: Arguments, id?: string): Block => ({ type: "call", tool, arguments: given, ...(id === undefined ? {} : { id }) })
/** For a tool that takes text. */
export const calledWithText = (tool: string, argumentsText: string): Block => ({ type: "call", tool, argumentsText })

/** A step that answers with these blocks, a few words at a time; a path of the Workspace stays whole, so that it is found and replaced. */
export const answers = (...content: ReadonlyArray<Block>): Step =>
  JSON.stringify(content).includes("{{workspace}}") ? { answer: { content } } : { answer: { content }, pace: { deltaSize: 16 } }
