/** Played with Claude Code: what it tells beside its work, and what it asks that no tool is about. */
import { lastingCommand } from "../command-watch.ts"
import { answers, called, greeter, said, type Scenario } from "../scenario.ts"
import { bash, coordinateOf } from "./claude-calls.ts"
import { startClaude } from "./claude-client.ts"

export const claudeNotices: ReadonlyArray<Scenario> = [
  {
    name: "elicitation",
    description: "A tool of an MCP server asks the person for a name by a form, which is declined.",
    script: { steps: [answers(called("mcp__greeter__ask", {})), answers(said("Nobody was greeted."))] },
    play: async (stage) => {
      const claude = await startClaude(stage, {
        decide: ({ input, subtype }) => subtype === "elicitation" ? { response: { action: "decline" } } : { response: { behavior: "allow", updatedInput: input } },
        flags: ["--mcp-config", JSON.stringify({ mcpServers: { greeter } })]
      })
      await claude.turn("Greet me.")
    }
  },
  {
    name: "long-command",
    description: "A command that lasts 33 seconds and prints nothing meanwhile.",
    script: { steps: [answers(bash(lastingCommand(33))), answers(said("It is over."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Wait for long.")
    }
  },
  {
    name: "retry",
    description: "The model is overloaded once, then answers.",
    script: { steps: [{ error: { status: 529, message: "Overloaded" } }, answers(said("Now I answer."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Begin.")
    }
  },
  {
    name: "context-full",
    description: "The model says that the prompt is too long.",
    script: { steps: [{ times: "always", error: { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" } }] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Begin.")
    }
  },
  {
    name: "no-login",
    description: "Neither a key nor a login; a Turn all the same.",
    script: { steps: [answers(said("Never said."))] },
    play: async (stage) => {
      const claude = await startClaude(stage, { environment: { ANTHROPIC_API_KEY: "" } })
      await claude.turn("Begin.")
    }
  },
  {
    name: "clear",
    description: "The input /clear between two Turns.",
    script: { steps: [{ times: "always", ...answers(said("Here I am.")) }] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const before = coordinateOf(await claude.turn("Begin."))
      await claude.turn("/clear")
      const after = coordinateOf(await claude.turn("Go on."))
      stage.observe("sameCoordinate", before === after)
    }
  },
  {
    name: "sub-agent-late",
    description: "A sub-agent in the background runs a command while the next Turn does.",
    script: {
      steps: [
        {
          times: "always",
          oneOf: [
            { expect: { input: "Count the files for me" }, answer: { content: [bash("sleep 1; touch counted.txt", "call_child")] } },
            { expect: { input: "Go on." }, answer: { content: [bash("sleep 3; touch own.txt", "call_own")] } },
            { expect: { input: "Let another" }, answer: { content: [called("Task", { description: "Count files", prompt: "Count the files for me", subagent_type: "general-purpose" }, "call_parent")] } },
            { answer: { content: [said("That is all.")] } }
          ]
        }
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Let another agent count.")
      await claude.turn("Go on.")
    }
  }
]
