/** What the tests of the server share: a server that a test closes, and a script with everything in it. */
import type { ModelScript } from "@steno/contracts"
import { onTestFinished } from "vitest"
import { type ScriptedModel, type ScriptedModelOptions, start } from "./index.ts"

export const served = async (script: ModelScript, options: Omit<ScriptedModelOptions, "script"> = {}): Promise<ScriptedModel> => {
  const server = await start({ script, ...options })
  onTestFinished(() => server.close())
  return server
}

type Answering = Extract<ModelScript["steps"][number], { readonly answer: unknown }>

export const awkwardText = "Zwölf Boxkämpfer 🥊\nund \"zwei\" Zeilen\u2028 \\ ende"

/** A Thought, a text and two calls, sent one code point per delta and one byte per write. */
export const everything: Answering = {
  answer: {
    content: [
      { type: "thought", text: "Erst nachdenken 🤔." },
      { type: "text", text: awkwardText },
      { type: "call", tool: "bash", arguments: { command: "echo \"é\" | cat" } },
      { type: "call", tool: "read", arguments: { path: "a b.txt", offset: 3 } }
    ],
    usage: { inputTokens: 50, outputTokens: 20, cachedInputTokens: 8, thoughtTokens: 4 }
  },
  pace: { deltaSize: 1, writeBytes: 1 }
}

export const says = (text: string): Answering => ({ answer: { content: [{ type: "text", text }] } })
