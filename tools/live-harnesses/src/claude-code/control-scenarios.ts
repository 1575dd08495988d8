/** Played with Claude Code: what a client does in between, and what comes after. */
import { setTimeout as pause } from "node:timers/promises"
import { endLastingCommand, fileWritten, lastingCommand, observeCommandLives, observeKill } from "../command-watch.ts"
import { objectOf } from "../recorded-process.ts"
import { answers, requestsWith, said, type Scenario } from "../scenario.ts"
import { bash, coordinateOf } from "./claude-calls.ts"
import { claudeFlags, startClaude } from "./claude-client.ts"

const steerUuid = "22222222-2222-4222-8222-222222222222"

export const claudeControl: ReadonlyArray<Scenario> = [
  {
    name: "interrupt",
    description: "Interrupted in mid-command; then a second Turn in the same process.",
    script: { steps: [answers(said("This takes long."), bash(lastingCommand(20))), answers(said("I go on after the interruption."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const from = claude.process.mark()
      claude.say("Wait for long.")
      await fileWritten(stage, "pid.txt")
      await claude.control({ subtype: "interrupt" })
      await claude.result(from)
      await observeCommandLives(stage, "commandLives2sAfterInterrupt", 2000)
      await endLastingCommand(stage)
      await claude.turn("Go on.")
    }
  },
  {
    name: "interrupt-approval",
    description: "Interrupted while a permission is asked for that nobody answers.",
    script: { steps: [answers(bash("touch never.txt")), answers(said("I go on after the interruption."))] },
    play: async (stage) => {
      const claude = await startClaude(stage, { decide: () => "leave" })
      const from = claude.process.mark()
      claude.say("Touch a file.")
      await claude.process.until("a permission", (message) => objectOf(message["request"])["subtype"] === "can_use_tool", from)
      await claude.control({ subtype: "interrupt" })
      await claude.result(from)
      await claude.turn("Go on.")
    }
  },
  {
    name: "resume",
    description: "A Turn; then a second process that resumes the session and plays a second one.",
    script: { steps: [answers(said("The first process says this.")), answers(said("The second process remembers."))] },
    play: async (stage) => {
      const first = await startClaude(stage)
      const coordinate = coordinateOf(await first.turn("Remember the number 7."))
      await first.process.end()
      const second = await startClaude(stage, { flags: ["--resume", coordinate] })
      const again = coordinateOf(await second.turn("Which number?"))
      stage.observe("sameCoordinate", again === coordinate)
      stage.observe("modelRequestsWithFirstInput", requestsWith(stage, "Remember the number 7."))
    }
  },
  {
    name: "resume-unknown",
    description: "A session that does not exist is to be resumed.",
    script: { steps: [answers(said("Never said."))] },
    play: async (stage) => {
      const claude = stage.launch([...claudeFlags, "--resume", "00000000-0000-4000-8000-000000000000"])
      claude.send({ type: "control_request", request_id: "recorded_1", request: { subtype: "initialize" } })
      const ended = await Promise.race([claude.exited.then(() => true), claude.until("an answer", ({ type }) => type === "control_response").then(() => false)])
      stage.observe("endedBeforeTheHandshake", ended)
    }
  },
  {
    name: "second-turn",
    description: "Two Turns in one process.",
    script: { steps: [answers(bash("echo first")), answers(said("First Turn.")), answers(bash("echo second")), answers(said("Second Turn."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const first = coordinateOf(await claude.turn("Begin."))
      const second = coordinateOf(await claude.turn("Go on."))
      stage.observe("sameCoordinate", first === second)
    }
  },
  {
    name: "killed",
    description: "The program is killed in mid-command; another process resumes the session.",
    script: { steps: [answers(said("This takes long."), bash(lastingCommand(20))), answers(said("The second process goes on."))] },
    play: async (stage) => {
      const first = await startClaude(stage)
      first.say("Wait for long.")
      await observeKill(stage, first.process, "group")
      const init = first.process.messages.find(({ subtype }) => subtype === "init")
      const second = await startClaude(stage, { flags: ["--resume", coordinateOf(objectOf(init))] })
      await second.turn("Go on.")
      stage.observe("modelRequestsWithFirstInput", requestsWith(stage, "Wait for long."))
    }
  },
  {
    name: "steer",
    description: "A second user message while a command runs.",
    script: {
      steps: [answers(bash(`${lastingCommand(2)}; cat over.txt`)), answers(said("I have read what came in between.")), answers(said("One more answer."))]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const from = claude.process.mark()
      claude.say("Wait a little.")
      await fileWritten(stage, "pid.txt")
      claude.say("And mind the gap.", steerUuid)
      await claude.result(from)
      await pause(2000)
      stage.observe("resultsAfter2s", claude.process.messages.filter(({ type }) => type === "result").length)
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
    }
  },
  {
    name: "steer-replayed",
    description: "A second user message while a command runs, where the program repeats what it takes.",
    script: {
      steps: [answers(bash(`${lastingCommand(2)}; cat over.txt`)), answers(said("I have read what came in between.")), answers(said("One more answer."))]
    },
    play: async (stage) => {
      const claude = await startClaude(stage, { flags: ["--replay-user-messages"] })
      const from = claude.process.mark()
      claude.say("Wait a little.")
      await fileWritten(stage, "pid.txt")
      claude.say("And mind the gap.", steerUuid)
      await claude.result(from)
      await pause(2000)
      stage.observe("resultsAfter2s", claude.process.messages.filter(({ type }) => type === "result").length)
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
    }
  },
  {
    name: "steer-late",
    description: "A second user message while the last text streams.",
    script: {
      steps: [
        { ...answers(said("This text takes its time, and what comes in between has to wait for its end.")), pace: { deltaSize: 8, writeDelayMs: 100 } },
        answers(said("Now I have read it."))
      ]
    },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const from = claude.process.mark()
      claude.say("Talk a little.")
      await claude.process.until("a delta", (message) => objectOf(message["event"])["type"] === "content_block_delta", from)
      claude.say("And mind the gap.", steerUuid)
      await claude.result(from)
      const behind = claude.process.mark()
      await claude.result(behind)
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
    }
  },
  {
    name: "steer-interrupt",
    description: "A second user message while a command runs, then an interruption before it can be delivered.",
    script: { steps: [answers(bash(lastingCommand(20))), answers(said("I go on."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const from = claude.process.mark()
      claude.say("Wait a little.")
      await fileWritten(stage, "pid.txt")
      claude.say("And mind the gap.", steerUuid)
      await claude.control({ subtype: "interrupt" })
      await claude.result(from)
      await pause(2000)
      await endLastingCommand(stage)
      stage.observe("resultsAfter2s", claude.process.messages.filter(({ type }) => type === "result").length)
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
    }
  },
  {
    name: "steer-withdrawn",
    description: "A second user message while a command runs is taken back; then an interruption.",
    script: { steps: [answers(bash(lastingCommand(20))), answers(said("I go on."))] },
    play: async (stage) => {
      const claude = await startClaude(stage)
      const from = claude.process.mark()
      claude.say("Wait a little.")
      await fileWritten(stage, "pid.txt")
      claude.say("And mind the gap.", steerUuid)
      await claude.control({ subtype: "cancel_async_message", message_uuid: steerUuid })
      await claude.control({ subtype: "interrupt" })
      await claude.result(from)
      await pause(2000)
      await endLastingCommand(stage)
      stage.observe("resultsAfter2s", claude.process.messages.filter(({ type }) => type === "result").length)
      stage.observe("modelRequestsWithSteer", requestsWith(stage, "And mind the gap."))
    }
  },
  {
    name: "set-model",
    description: "Another model for the second Turn, and one for the middle of a Turn.",
    script: { steps: [answers(said("With the first model.")), answers(bash(lastingCommand(1))), answers(said("With another one.")), answers(said("Done."))] },
    play: async (stage) => {
      const claude = await startClaude(stage, { flags: ["--model", "claude-first"] })
      await claude.turn("Which model?")
      await claude.control({ subtype: "set_model", model: "claude-second" })
      const from = claude.process.mark()
      claude.say("And now?")
      await fileWritten(stage, "pid.txt")
      await claude.control({ subtype: "set_model", model: "claude-third" })
      await claude.result(from)
      stage.observe("modelsOfRequests", stage.model.requests().map(({ body }) => String(objectOf(body)["model"])))
    }
  }
]
