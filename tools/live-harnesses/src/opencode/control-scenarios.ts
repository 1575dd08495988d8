/** Played with opencode, over the Agent Client Protocol: what a client does in between, and what comes after. */
import { endLastingCommand, fileWritten, lastingCommand, observeCommandLives, observeKill } from "../command-watch.ts"
import { objectOf } from "../recorded-process.ts"
import { answers, requestsWith, said, type Scenario } from "../scenario.ts"
import { bash, scripted, startSession } from "./opencode-session.ts"
import { startAcp } from "./acp-client.ts"

export const opencodeControl: ReadonlyArray<Scenario> = [
  {
    name: "interrupt",
    description: "Cancelled in mid-command; then a second Turn in the same session.",
    script: scripted(answers(said("This takes long."), bash(lastingCommand(20))), answers(said("I go on after the interruption."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      const ended = agent.prompt("Wait for long.")
      await fileWritten(stage, "pid.txt")
      agent.cancel()
      await ended
      await observeCommandLives(stage, "commandLives2sAfterCancel", 2000)
      await endLastingCommand(stage)
      await agent.prompt("Go on.")
    }
  },
  {
    name: "resume",
    description: "A Turn with a command; then a second process that loads the session and plays a second one.",
    script: scripted(
      answers(said("The first process says this."), bash("echo first")),
      answers(said("Done.")),
      answers(said("The second process remembers."))
    ),
    play: async (stage) => {
      const first = await startSession(stage)
      await first.prompt("Remember the number 7.")
      await first.process.end()
      const second = await startAcp(stage)
      await second.loadSession(first.sessionId)
      await second.prompt("Which number?")
      stage.observe("modelRequestsWithFirstInput", requestsWith(stage, "Remember the number 7."))
    }
  },
  {
    name: "resume-unknown",
    description: "A session that does not exist is to be loaded.",
    script: scripted(answers(said("Never said."))),
    play: async (stage) => {
      const agent = await startAcp(stage)
      await agent.loadSession("ses_000000000000000000000000000")
    }
  },
  {
    name: "second-turn",
    description: "Two Turns in one session.",
    script: scripted(answers(bash("echo first")), answers(said("First Turn.")), answers(bash("echo second")), answers(said("Second Turn."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Begin.")
      await agent.prompt("Go on.")
    }
  },
  {
    name: "second-prompt",
    description: "A second prompt while a command runs: the protocol has no Steer.",
    script: scripted(answers(bash(lastingCommand(2))), answers(said("The first answer.")), answers(said("The second answer."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      const first = agent.prompt("Wait a little.")
      await fileWritten(stage, "pid.txt")
      await Promise.all([first, agent.prompt("And mind the gap.")])
      stage.observe("modelRequestsWithSecondPrompt", requestsWith(stage, "And mind the gap."))
    }
  },
  {
    name: "set-model",
    description: "Another model for the second Turn.",
    script: scripted(answers(said("With the first model.")), answers(said("With another one."))),
    play: async (stage) => {
      const agent = await startSession(stage)
      await agent.prompt("Which model?")
      await agent.rpc.ask("session/set_config_option", { sessionId: agent.sessionId, configId: "model", value: "scripted/other-model" })
      await agent.prompt("And now?")
      stage.observe("modelsOfRequests", stage.model.requests().map(({ body }) => String(objectOf(body)["model"])))
    }
  },
  {
    name: "killed",
    description: "The program is killed in mid-command; another process loads the session.",
    script: scripted(answers(said("This takes long."), bash(lastingCommand(20))), answers(said("The second process goes on."))),
    play: async (stage) => {
      const first = await startSession(stage)
      void first.prompt("Wait for long.").catch(() => undefined)
      await observeKill(stage, first.process, "group")
      const second = await startAcp(stage)
      await second.loadSession(first.sessionId)
      await second.prompt("Go on.")
      stage.observe("modelRequestsWithFirstInput", requestsWith(stage, "Wait for long."))
    }
  }
]
