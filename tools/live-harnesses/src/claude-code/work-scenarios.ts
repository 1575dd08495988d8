/** Played with Claude Code: what the agent does by itself. */
import { setTimeout as pause } from "node:timers/promises"
import { objectOf } from "../recorded-process.ts"
import { answers, called, greeter, said, type Scenario, thought } from "../scenario.ts"
import { bash, task } from "./claude-calls.ts"
import { startClaude } from "./claude-client.ts"

const colours = [{ label: "Blue", description: "Like the sea" }, { label: "Red", description: "Like a rose" }]

export const claudeWork: ReadonlyArray<Scenario> = [
  {
    name: "text",
    description: "One text, streamed.",
    script: { steps: [answers(said("Good morning. Nothing has to be done today."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Say good morning.")
    }
  },
  {
    name: "two-texts",
    description: "Two text blocks in one message.",
    script: { steps: [answers(said("The first block of the message."), said("The second block of the message."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Say two things.")
    }
  },
  {
    name: "thoughts",
    description: "A Thought, a text, a call; then a Thought and a text.",
    script: {
      steps: [
        answers(thought("The person wants a greeting, so I print one."), said("I print it."), bash("echo greeting")),
        answers(thought("It was printed."), said("It is printed."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Print a greeting.")
    }
  },
  {
    name: "parallel-tools",
    description: "Two reads and a command in one message.",
    files: { "notes.txt": "one\ntwo\nthree\n", "more.txt": "four\n" },
    script: {
      steps: [
        answers(said("Three at once."), called("Read", { file_path: "{{workspace}}/notes.txt" }), called("Read", { file_path: "{{workspace}}/more.txt" }), bash("wc -l notes.txt > count.txt; cat count.txt")),
        answers(said("All three are settled."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Look at the notes.")
    }
  },
  {
    name: "failing-tool",
    description: "A command that ends with 3, one that ends with 0, a file that does not exist.",
    script: {
      steps: [
        answers(bash("echo before; echo wrong >&2; exit 3")),
        answers(bash("echo fine; echo warned >&2")),
        answers(called("Read", { file_path: "/recorded/nothing.txt" })),
        answers(said("One failed, one did not, one found nothing."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Run three things.")
    }
  },
  {
    name: "declined-tool",
    description: "A command and a new file, both refused by the person.",
    script: {
      steps: [
        answers(bash("touch refused.txt")),
        answers(called("Write", { file_path: "{{workspace}}/refused-too.txt", content: "never\n" })),
        answers(said("Both were refused."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage, { decide: () => "deny" })
      await claude.turn("Touch two files.")
    }
  },
  {
    name: "approval",
    description: "A command that asks and is allowed.",
    script: { steps: [answers(said("I ask first."), bash("touch allowed.txt && echo touched")), answers(said("It was allowed."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Touch a file.")
    }
  },
  {
    name: "edit",
    description: "A file is read and changed, another one is made.",
    files: { "greeting.txt": "hello\nthere\n" },
    script: {
      steps: [
        answers(called("Read", { file_path: "{{workspace}}/greeting.txt" })),
        answers(called("Edit", { file_path: "{{workspace}}/greeting.txt", old_string: "hello", new_string: "good morning" })),
        answers(called("Write", { file_path: "{{workspace}}/new.txt", content: "one\ntwo\n" })),
        answers(called("Write", { file_path: "{{workspace}}/greeting.txt", content: "good evening\n" })),
        answers(said("One file is changed, one is new."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Change the greeting.")
    }
  },
  {
    name: "long-output",
    description: "A command that prints 39 kB.",
    script: { steps: [answers(bash("seq 8000")), answers(said("It printed a lot."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Count far.")
    }
  },
  {
    name: "live-output",
    description: "A command that prints for three seconds.",
    script: { steps: [answers(bash("for n in 1 2 3 4 5 6; do echo line $n; sleep 0.5; done")), answers(said("It printed six lines."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Print slowly.")
    }
  },
  {
    name: "sub-agent",
    description: "A sub-agent that runs one command and reports.",
    script: {
      steps: [
        {
          oneOf: [
            { expect: { input: "Count the files for me" }, answer: { content: [said("I count."), bash("ls | wc -l > count.txt; cat count.txt", "call_child")] } },
            { answer: { content: [said("I ask another agent."), task] } }
          ]
        },
        {
          oneOf: [
            { expect: { results: [{ tool: "Bash" }] }, answer: { content: [said("There is one file.")] } },
            { answer: { content: [said("The other agent counted one file.")] } }
          ]
        }
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Let another agent count.")
    }
  },
  {
    name: "sub-agent-background",
    description: "A sub-agent of which the model does not say whether it is waited for.",
    script: {
      steps: [
        {
          oneOf: [
            { expect: { input: "Count the files for me" }, answer: { content: [bash("ls | wc -l > count.txt; cat count.txt", "call_child")] } },
            { answer: { content: [called("Task", { description: "Count files", prompt: "Count the files for me", subagent_type: "general-purpose" }, "call_parent")] } }
          ]
        },
        {
          times: "always",
          oneOf: [
            { expect: { results: [{ tool: "Bash" }] }, answer: { content: [said("There is one file.")] } },
            { answer: { content: [said("Another agent counts.")] } }
          ]
        }
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Let another agent count.")
      await pause(3000)
      stage.observe("resultsAfter3s", claude.process.messages.filter(({ type }) => type === "result").length)
    }
  },
  {
    name: "mcp-tool",
    description: "A tool of an MCP server, and one that fails.",
    script: { steps: [answers(called("mcp__greeter__greet", { name: "Ada" })), answers(called("mcp__greeter__refuse", { name: "Ada" })), answers(said("One greeted, one did not."))] },
    play: async (stage) => {
      const claude = await startClaude(stage, { flags: ["--mcp-config", JSON.stringify({ mcpServers: { greeter } })] })
      await claude.turn("Greet Ada.")
    }
  },
  {
    name: "question",
    description: "A question with two options that the person answers.",
    script: {
      steps: [
        answers(called("AskUserQuestion", { questions: [{ question: "Which colour?", header: "Colour", multiSelect: false, options: colours }] })),
        answers(said("Blue it is."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage, { decide: ({ input }) => ({ updatedInput: { ...objectOf(input), answers: { "Which colour?": "Blue" } } }) })
      await claude.turn("Ask me for a colour.")
    }
  },
  {
    name: "model-error",
    description: "The model refuses the request; then a second Turn.",
    script: {
      steps: [
        {
          times: "always",
          oneOf: [
            { expect: { input: "Go on." }, answer: { content: [said("The second Turn goes on.")] } },
            { error: { status: 400, message: "The model refused." } }
          ]
        }
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      await claude.turn("Begin.")
      await claude.turn("Go on.")
    }
  }
]
