/** Played with Codex: what the agent does by itself. */
import { setTimeout as pause } from "node:timers/promises"
import type { Answer } from "../json-rpc-client.ts"
import { answers, called, greeter, said, type Scenario, thought } from "../scenario.ts"
import { command, escalated, patch } from "./codex-calls.ts"
import { deciding, startCodex } from "./codex-client.ts"

const colours = [{ label: "Blue", description: "Like the sea" }, { label: "Red", description: "Like a rose" }]
const greeterAllowed: Answer = (method) => method === "mcpServer/elicitation/request" ? { action: "accept", content: {} } : deciding("accept")(method, {})
const readOnly = { sandbox: "read-only", approvalPolicy: "on-request" }

export const codexWork: ReadonlyArray<Scenario> = [
  {
    name: "text",
    description: "One text, streamed.",
    script: { steps: [answers(said("Good morning. Nothing has to be done today."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Say good morning.")
    }
  },
  {
    name: "two-texts",
    description: "Two texts in one answer.",
    script: { steps: [answers(said("The first text of the answer."), said("The second text of the answer."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Say two things.")
    }
  },
  {
    name: "thoughts",
    description: "A Thought, a text, a call; then a Thought and a text.",
    script: {
      steps: [
        answers(thought("The person wants a greeting, so I print one."), said("I print it."), command("echo greeting")),
        answers(thought("It was printed."), said("It is printed."))
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Print a greeting.")
    }
  },
  {
    name: "parallel-tools",
    description: "Three commands in one answer.",
    files: { "notes.txt": "one\ntwo\nthree\n" },
    script: {
      steps: [
        answers(said("Three at once."), command("cat notes.txt"), command("sleep 1; echo slept"), command("wc -l notes.txt")),
        answers(said("All three are settled."))
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Look at the notes.")
    }
  },
  {
    name: "failing-tool",
    description: "A command that ends with 3, one that ends with 0, one without output, one that does not exist.",
    script: {
      steps: [
        answers(command("echo before; echo wrong >&2; exit 3")),
        answers(command("echo fine; echo warned >&2")),
        answers(command("true")),
        answers(command("no-such-program")),
        answers(said("Two failed, two did not."))
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Run four things.")
    }
  },
  {
    name: "declined-tool",
    description: "A command and a new file, both refused by the person; the Turn goes on.",
    script: { steps: [answers(escalated("touch refused.txt")), answers(patch("*** Add File: refused-too.txt", "+never")), answers(said("Both were refused."))] },
    play: async (stage) => {
      const codex = await startCodex(stage, deciding("decline"), readOnly)
      await codex.turn("Touch two files.")
    }
  },
  {
    name: "cancelled-approval",
    description: "A command whose approval is answered with cancel.",
    script: { steps: [answers(escalated("touch refused.txt")), answers(said("Perhaps never said."))] },
    play: async (stage) => {
      const codex = await startCodex(stage, deciding("cancel"), readOnly)
      await codex.turn("Touch a file.")
    }
  },
  {
    name: "approval",
    description: "A command and a new file that ask and are allowed.",
    script: {
      steps: [
        answers(said("I ask first."), escalated("touch allowed.txt && echo touched")),
        answers(patch("*** Add File: allowed-too.txt", "+written")),
        answers(said("Both were allowed."))
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage, deciding("accept"), readOnly)
      await codex.turn("Touch two files.")
    }
  },
  {
    name: "edit",
    description: "A patch that changes, adds, moves and deletes; then one that does not fit.",
    files: { "greeting.txt": "hello\nthere\n", "old.txt": "old\n", "moved.txt": "stays\nchanges\n" },
    script: {
      steps: [
        answers(patch(
          "*** Update File: greeting.txt",
          "@@",
          "-hello",
          "+good morning",
          " there",
          "*** Add File: new.txt",
          "+one",
          "+two",
          "*** Update File: moved.txt",
          "*** Move to: folder/moved.txt",
          "@@",
          " stays",
          "-changes",
          "+changed",
          "*** Delete File: old.txt"
        )),
        answers(patch("*** Update File: greeting.txt", "@@", "-not there", "+never")),
        answers(said("Four files are changed."))
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Change the files.")
    }
  },
  {
    name: "long-output",
    description: "A command that prints 39 kB.",
    script: { steps: [answers(command("seq 8000")), answers(said("It printed a lot."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Count far.")
    }
  },
  {
    name: "live-output",
    description: "A command that prints for three seconds.",
    script: { steps: [answers(command("for n in 1 2 3 4 5 6; do echo line $n; sleep 0.5; done")), answers(said("It printed six lines."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Print slowly.")
    }
  },
  {
    name: "model-error",
    description: "The model refuses the request; then a second Turn.",
    script: { steps: [{ error: { status: 400, message: "The model refused." } }, answers(said("The second Turn goes on."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Begin.")
      await codex.turn("Go on.")
    }
  },
  {
    name: "sub-agent",
    description: "A sub-agent runs one command while its parent runs another.",
    script: {
      steps: [
        {
          times: "always",
          oneOf: [
            { expect: { results: [{ contains: "waited" }] }, answer: { content: [said("The other agent has counted.")] } },
            { expect: { results: [{ contains: "counted" }] }, answer: { content: [said("I have counted.")] } },
            { expect: { results: [{ tool: "spawn_agent" }] }, answer: { content: [command("sleep 2; echo waited", "call_wait")] } },
            { expect: { input: "Count the files for me" }, answer: { content: [said("I count."), command("ls; echo counted", "call_child")] } },
            { answer: { content: [said("I ask another agent."), called("spawn_agent", { message: "Count the files for me" }, "call_parent")] } }
          ]
        }
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage, deciding("accept"), { model: "scripted-model" })
      await codex.turn("Let another agent count.")
      await pause(500)
    }
  },
  {
    name: "mcp-tool",
    description: "A tool of an MCP server, and one that fails.",
    script: { steps: [answers(called("greet", { name: "Ada" })), answers(called("refuse", { name: "Ada" })), answers(said("One greeted, one did not."))] },
    play: async (stage) => {
      const codex = await startCodex(stage, greeterAllowed, { model: "scripted-model", config: { mcp_servers: { greeter } } })
      await codex.turn("Greet Ada.")
    }
  },
  {
    name: "question",
    description: "A question with two options that the person answers, in Plan mode.",
    script: {
      steps: [
        answers(called("request_user_input", { questions: [{ id: "colour", header: "Colour", question: "Which colour?", options: colours }] })),
        answers(said("Blue it is."))
      ]
    },
    play: async (stage) => {
      const codex = await startCodex(stage, (method) => method === "item/tool/requestUserInput" ? { answers: { colour: { answers: ["Blue"] } } } : undefined)
      const settings = { model: "gpt-5.5", reasoning_effort: null, developer_instructions: null }
      await codex.completed(await codex.startTurn("Ask me for a colour.", { collaborationMode: { mode: "plan", settings } }))
    }
  }
]
