/** Played with opencode, over the Agent Client Protocol: what the agent does by itself. */
import { setTimeout as pause } from "node:timers/promises"
import { answers, called, greeter, said, type Scenario, textOf, thought } from "../scenario.ts"
import { choosing, startAcp } from "./acp-client.ts"
import { bash, scripted, startSession } from "./opencode-session.ts"

const inWorkspace = (name: string): string => `{{workspace}}/${name}`
const task = called("task", { description: "Count files", prompt: "Count the files for me", subagent_type: "general" }, "call_parent")

export const opencodeWork: ReadonlyArray<Scenario> = [
  {
    name: "text",
    description: "One text, streamed.",
    script: scripted(answers(said("Good morning. Nothing has to be done today."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Say good morning.")
    }
  },
  {
    name: "two-texts",
    description: "A text, a call, a text: two messages around one call.",
    script: scripted(answers(said("The first text."), bash("echo between")), answers(said("The second text."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Say two things.")
    }
  },
  {
    name: "thoughts",
    description: "A Thought, a text, a call; then a Thought and a text.",
    script: scripted(
      answers(thought("The person wants a greeting, so I print one."), said("I print it."), bash("echo greeting")),
      answers(thought("It was printed."), said("It is printed."))
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Print a greeting.")
    }
  },
  {
    name: "parallel-tools",
    description: "A read, a search and a command in one message.",
    files: { "notes.txt": "one\ntwo\nthree\n" },
    script: scripted(
      answers(said("Three at once."), called("read", { filePath: inWorkspace("notes.txt") }), called("grep", { pattern: "two" }), bash("sleep 1; wc -l notes.txt")),
      answers(said("All three are settled."))
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Look at the notes.")
    }
  },
  {
    name: "failing-tool",
    description: "A command that ends with 3, one that ends with 0, a file that does not exist.",
    script: scripted(
      answers(bash("echo before; echo wrong >&2; exit 3")),
      answers(bash("echo fine; echo warned >&2")),
      answers(called("read", { filePath: inWorkspace("nothing.txt") })),
      answers(said("One failed, one did not, one found nothing."))
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Run three things.")
    }
  },
  {
    name: "declined-tool",
    description: "A command that the person refuses once.",
    script: scripted(answers(bash("touch refused.txt")), answers(said("It was refused."))),
    play: async (stage) => {
      const agent = await startSession(stage, choosing("reject_once"))
      await agent.prompt("Touch a file.")
    }
  },
  {
    name: "approval",
    description: "A command that asks and is allowed.",
    script: scripted(answers(said("I ask first."), bash("touch allowed.txt && echo touched")), answers(said("It was allowed."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Touch a file.")
    }
  },
  {
    name: "cancelled-approval",
    description: "Cancelled while a permission is asked for, which is answered as cancelled.",
    script: scripted(answers(bash("touch refused.txt")), answers(said("Perhaps never said."))),
    play: async (stage) => {
      const asked = Promise.withResolvers<undefined>()
      const cancelled = Promise.withResolvers<undefined>()
      const agent = await startSession(stage, async (method) => {
        if (method !== "session/request_permission") return undefined
        asked.resolve(undefined)
        await cancelled.promise
        return { outcome: { outcome: "cancelled" } }
      })
      const ended = agent.prompt("Touch a file.")
      await asked.promise
      agent.cancel()
      cancelled.resolve(undefined)
      await ended
    }
  },
  {
    name: "edit",
    description: "A file is read and changed, another one is made.",
    files: { "greeting.txt": "hello\nthere\n" },
    script: scripted(
      answers(called("read", { filePath: inWorkspace("greeting.txt") })),
      answers(called("edit", { filePath: inWorkspace("greeting.txt"), oldString: "hello", newString: "good morning" })),
      answers(called("write", { filePath: inWorkspace("new.txt"), content: "one\ntwo\n" })),
      answers(said("One file is changed, one is new."))
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Change the greeting.")
      stage.observe("fileAfterwards", textOf(stage, "greeting.txt"))
    }
  },
  {
    name: "long-output",
    description: "A command that prints 39 kB.",
    script: scripted(answers(bash("seq 8000")), answers(said("It printed a lot."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Count far.")
    }
  },
  {
    name: "live-output",
    description: "A command that prints for three seconds.",
    script: scripted(answers(bash("for n in 1 2 3 4 5 6; do echo line $n; sleep 0.5; done")), answers(said("It printed six lines."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Print slowly.")
    }
  },
  {
    name: "plan",
    description: "A list of things to do, which is a plan there.",
    script: scripted(
      answers(called("todowrite", { todos: [{ content: "Look", status: "in_progress", priority: "high" }, { content: "Leap", status: "pending", priority: "low" }] })),
      answers(said("There are two things to do."))
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Make a plan.")
    }
  },
  {
    name: "model-error",
    description: "The model refuses the request; then a second Turn.",
    script: scripted({
      times: "always",
      oneOf: [
        { expect: { input: "Go on." }, answer: { content: [said("The second Turn goes on.")] } },
        { error: { status: 400, message: "The model refused." } }
      ]
    }),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Begin.")
      await agent.prompt("Go on.")
    }
  },
  {
    name: "sub-agent",
    description: "A sub-agent that searches and reports.",
    files: { "notes.txt": "one\n" },
    script: scripted(
      {
        oneOf: [
          { expect: { input: "Count the files for me" }, answer: { content: [said("I count."), called("glob", { pattern: "*" }, "call_child")] } },
          { answer: { content: [said("I ask another agent."), task] } }
        ]
      },
      {
        oneOf: [
          { expect: { results: [{ tool: "glob" }] }, answer: { content: [said("There is one file.")] } },
          { answer: { content: [said("The other agent counted one file.")] } }
        ]
      }
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Let another agent count.")
    }
  },
  {
    name: "sub-agent-approval",
    description: "A sub-agent's command needs a permission; after ten seconds the Turn is cancelled.",
    script: scripted(
      {
        oneOf: [
          { expect: { input: "Count the files for me" }, answer: { content: [bash("ls | wc -l", "call_child")] } },
          { answer: { content: [task] } }
        ]
      },
      answers(said("Said after the cancellation."))
    ),
    play: async (stage) => {
      const agent = await startSession(stage)
      const ended = agent.prompt("Let another agent count.")
      await pause(10_000)
      stage.observe("permissionsAskedIn10s", agent.process.messages.filter(({ method }) => method === "session/request_permission").length)
      agent.cancel()
      await ended
    }
  },
  {
    name: "refused-write",
    description: "The client refuses to write a file that the person has allowed to be written.",
    script: scripted(answers(called("write", { filePath: inWorkspace("new.txt"), content: "one\ntwo\n" })), answers(said("Said after the refusal."))),
    play: async (stage) => {
      const agent = await startSession(stage, (method, params) => method === "fs/write_text_file" ? undefined : choosing("allow_once")(method, params))
      await agent.prompt("Write a file.")
      stage.observe("fileAfterwards", textOf(stage, "new.txt"))
    }
  },
  {
    name: "mcp-tool",
    description: "A tool of an MCP server, and one that fails.",
    script: scripted(answers(called("greeter_greet", { name: "Ada" })), answers(called("greeter_refuse", { name: "Ada" })), answers(said("One greeted, one did not."))),
    play: async (stage) => {
      const agent = await startAcp(stage)
      await agent.newSession([{ name: "greeter", ...greeter, env: [] }])
      await agent.prompt("Greet Ada.")
    }
  }
]
