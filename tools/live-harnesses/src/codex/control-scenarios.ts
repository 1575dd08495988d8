/** Played with Codex: what a client does in between, and what comes after. */
import { setTimeout as pause } from "node:timers/promises"
import { endLastingCommand, fileWritten, lastingCommand, observeCommandLives, observeKill } from "../command-watch.ts"
import { objectOf } from "../recorded-process.ts"
import { answers, called, requestsWith, said, type Scenario } from "../scenario.ts"
import { command, escalated } from "./codex-calls.ts"
import { clientInfo, type CodexClient, deciding, leaving, startCodex } from "./codex-client.ts"

const chattyCommand = "echo $$ > pid.txt; for n in $(seq 60); do echo line $n; sleep 0.5; done"
/** The launcher becomes the program where Node can do that, and starts it as a child where not. */
const olderNode = { NODE_OPTIONS: "--import data:text/javascript,delete%20process.execve" }
const commandStarted = (codex: CodexClient) => codex.rpc.notified("item/started", 0, ({ item }) => objectOf(item)["type"] === "commandExecution")

export const codexControl: ReadonlyArray<Scenario> = [
  {
    name: "interrupt",
    description: "Interrupted in mid-command, behind its first live output; then a second Turn in the same thread.",
    script: { steps: [answers(said("This takes long."), command(chattyCommand)), answers(said("I go on after the interruption."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      const turnId = await codex.startTurn("Wait for long.")
      await codex.rpc.notified("item/commandExecution/outputDelta", 0)
      await codex.rpc.request("turn/interrupt", { threadId: codex.threadId, turnId })
      await codex.completed(turnId)
      await observeCommandLives(stage, "commandLives2sAfterInterrupt", 2000)
      await codex.rpc.ask("thread/backgroundTerminals/list", { threadId: codex.threadId })
      await endLastingCommand(stage)
      await codex.turn("Go on.")
    }
  },
  {
    name: "interrupt-early",
    description: "Interrupted when the command has just begun.",
    script: { steps: [answers(command(lastingCommand(30)))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      const turnId = await codex.startTurn("Wait for long.")
      await fileWritten(stage, "pid.txt")
      await codex.rpc.request("turn/interrupt", { threadId: codex.threadId, turnId })
      await codex.completed(turnId)
      await observeCommandLives(stage, "commandLives2sAfterInterrupt", 2000)
      await endLastingCommand(stage)
    }
  },
  {
    name: "interrupt-background",
    description: "A command has outlived its call; a second one is interrupted; the terminals are ended.",
    script: { steps: [answers(called("exec_command", { cmd: lastingCommand(30), yield_time_ms: 500 })), answers(command("echo begun > second.txt; sleep 30"))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      const turnId = await codex.startTurn("Wait for long.")
      await fileWritten(stage, "second.txt")
      await codex.rpc.request("turn/interrupt", { threadId: codex.threadId, turnId })
      await codex.completed(turnId)
      await observeCommandLives(stage, "firstCommandLives2sAfterInterrupt", 2000)
      await codex.rpc.ask("thread/backgroundTerminals/list", { threadId: codex.threadId })
      await codex.rpc.ask("thread/backgroundTerminals/clean", { threadId: codex.threadId })
      await observeCommandLives(stage, "firstCommandLives1sAfterClean", 1000)
      await endLastingCommand(stage)
    }
  },
  {
    name: "interrupt-approval",
    description: "Interrupted while an approval is asked for that nobody answers.",
    script: { steps: [answers(escalated("touch never.txt")), answers(said("I go on after the interruption."))] },
    play: async (stage) => {
      const codex = await startCodex(stage, leaving, { sandbox: "read-only", approvalPolicy: "on-request" })
      const turnId = await codex.startTurn("Touch a file.")
      await codex.rpc.notified("item/commandExecution/requestApproval", 0)
      await codex.rpc.request("turn/interrupt", { threadId: codex.threadId, turnId })
      await codex.completed(turnId)
      await codex.turn("Go on.")
    }
  },
  {
    name: "background-terminal",
    description: "A command outlives the call that began it, and the Turn.",
    script: { steps: [answers(called("exec_command", { cmd: lastingCommand(30), yield_time_ms: 500 })), answers(said("It runs on."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Begin something long.")
      await observeCommandLives(stage, "commandLives1sAfterTurn", 1000)
      const from = codex.process.mark()
      await codex.rpc.ask("thread/backgroundTerminals/clean", { threadId: codex.threadId })
      await observeCommandLives(stage, "commandLives1sAfterClean", 1000)
      stage.observe("notificationsAfterClean", codex.process.messages.slice(from).flatMap(({ method }) => typeof method === "string" ? [method] : []))
      await endLastingCommand(stage)
    }
  },
  {
    name: "exit-with-terminal",
    description: "A command has outlived its Turn; then stdin is closed.",
    script: { steps: [answers(called("exec_command", { cmd: lastingCommand(30), yield_time_ms: 500 })), answers(said("It runs on."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Begin something long.")
      await codex.process.end()
      await observeCommandLives(stage, "commandLives1sAfterExit", 1000)
      await endLastingCommand(stage)
    }
  },
  {
    name: "resume",
    description: "A Turn; then a second process that resumes the thread and plays a second one.",
    script: { steps: [answers(said("The first process says this.")), answers(said("The second process remembers."))] },
    play: async (stage) => {
      const first = await startCodex(stage)
      await first.turn("Remember the number 7.")
      await first.process.end()
      const second = await startCodex(stage, deciding("accept"), { resume: first.threadId })
      await second.turn("Which number?")
      stage.observe("modelRequestsWithFirstInput", requestsWith(stage, "Remember the number 7."))
    }
  },
  {
    name: "resume-unknown",
    description: "A thread that does not exist is to be resumed.",
    script: { steps: [answers(said("Never said."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.rpc.ask("thread/resume", { threadId: "01900000-0000-7000-8000-000000000000" })
    }
  },
  {
    name: "refused-setting",
    description: "Started with a setting that this version does not take.",
    script: { steps: [answers(said("Never said."))] },
    play: async (stage) => {
      const program = stage.launch(["app-server", "-c", 'approval_policy="untrusted"'])
      program.send({ id: 1, method: "initialize", params: { clientInfo, capabilities: null } })
      await program.exited
    }
  },
  {
    name: "second-turn",
    description: "Two Turns in one thread.",
    script: { steps: [answers(command("echo first")), answers(said("First Turn.")), answers(command("echo second")), answers(said("Second Turn."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Begin.")
      await codex.turn("Go on.")
    }
  },
  {
    name: "set-model",
    description: "Another model and effort for the second Turn.",
    script: { steps: [answers(said("With the first model.")), answers(said("A summary for another model.")), answers(said("With another one."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      await codex.turn("Which model?")
      await codex.completed(await codex.startTurn("And now?", { model: "gpt-5.6-sol", effort: "low" }))
      stage.observe("modelsOfRequests", stage.model.requests().map(({ body }) => String(objectOf(body)["model"])))
    }
  },
  {
    name: "killed",
    description: "The program is killed in mid-command, launcher and all; another process resumes the thread.",
    script: { steps: [answers(said("This takes long."), command(lastingCommand(30))), answers(said("The second process goes on."))] },
    play: async (stage) => {
      const first = await startCodex(stage)
      await first.startTurn("Wait for long.")
      await commandStarted(first)
      await observeKill(stage, first.process, "group")
      const second = await startCodex(stage, deciding("accept"), { resume: first.threadId })
      await second.turn("Go on.")
      stage.observe("modelRequestsWithFirstInput", requestsWith(stage, "Wait for long."))
    }
  },
  {
    name: "killed-launcher",
    description: "The launcher is killed in mid-command, not the program, as an older Node starts it: as a child of the launcher.",
    script: { steps: [answers(command(lastingCommand(30)))] },
    play: async (stage) => {
      const codex = await startCodex(stage, deciding("accept"), {}, olderNode)
      await codex.startTurn("Wait for long.")
      await commandStarted(codex)
      await observeKill(stage, codex.process, "alone")
    }
  },
  {
    name: "steer",
    description: "A Steer while a command runs; one with a Turn that is not the live one.",
    script: { steps: [answers(command(lastingCommand(2))), answers(said("I have read what came in between.")), answers(said("One more answer."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      const turnId = await codex.startTurn("Wait a little.", { clientUserMessageId: "client-input-1" })
      await fileWritten(stage, "pid.txt")
      const input = [{ type: "text", text: "And mind the gap.", text_elements: [] }]
      await codex.rpc.ask("turn/steer", { threadId: codex.threadId, expectedTurnId: turnId, input, clientUserMessageId: "client-steer-1" })
      await codex.rpc.ask("turn/steer", { threadId: codex.threadId, expectedTurnId: "01900000-0000-7000-8000-000000000000", input })
      await codex.completed(turnId)
      await pause(500)
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
      await codex.rpc.ask("turn/steer", { threadId: codex.threadId, expectedTurnId: turnId, input })
    }
  },
  {
    name: "steer-interrupt",
    description: "A Steer while a command runs, then an interruption before it can be delivered.",
    script: { steps: [answers(command(lastingCommand(20))), answers(said("I go on."))] },
    play: async (stage) => {
      const codex = await startCodex(stage)
      const turnId = await codex.startTurn("Wait a little.")
      await fileWritten(stage, "pid.txt")
      const input = [{ type: "text", text: "And mind the gap.", text_elements: [] }]
      await codex.rpc.ask("turn/steer", { threadId: codex.threadId, expectedTurnId: turnId, input, clientUserMessageId: "client-steer-1" })
      await codex.rpc.request("turn/interrupt", { threadId: codex.threadId, turnId })
      await codex.completed(turnId)
      await endLastingCommand(stage)
      await codex.turn("Go on.")
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
    }
  }
]
