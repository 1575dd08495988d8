import type { ModelScript } from "@steno/contracts"
import type { ControlReceipt, Harness, PreparedHarness, TurnHandle } from "@steno/harness-seam"
import { type ConformanceSubject, describeHarnessConformance, type ScenarioName } from "@steno/harness-seam/testing"
import { Deferred, Effect } from "effect"
import { hostedProfile, makeHostedHarnessOver } from "./hosted-harness.ts"
import type { ModelMessage } from "./hosted-model.ts"
import { makeModelSource } from "./model-source.ts"
import { makeSessionLog } from "./testing.ts"

type Step = ModelScript["steps"][number]
const says = (...texts: ReadonlyArray<string>): Step => ({ answer: { content: texts.map((text) => ({ type: "text", text })) } })
const calls: Step = { answer: { content: [{ type: "call", tool: "bash", arguments: { command: "make" } }] } }
const hello: Step = { ...says("Hello"), pace: { deltaSize: [3, 2] } }

const scripts: Readonly<Partial<Record<ScenarioName, ReadonlyArray<Step>>>> = {
  "text": [hello, hello, hello],
  "two-blocks": [says("one", "two")],
  "pending-text": [{ ...says("half"), fault: { type: "error-frame", status: 529, message: "overloaded" } }],
  "thoughts": [{
    answer: { content: [{ type: "thought", text: " \n" }, { type: "thought", text: "plan" }, { type: "text", text: "done" }] }
  }],
  "diff": [says("done")],
  "steer": [calls, { ...says("as you say"), expect: { input: "left" } }],
  "pending-steer": [calls],
  "interrupt": [calls]
}

const changed = { content: "+a", files: Array.from({ length: 300 }, (_, at) => ({ path: `f${at}` })) }

const newestInput = (messages: ReadonlyArray<ModelMessage>): string => {
  const last = messages.findLast(({ role }) => role === "user")
  return last?.role === "user" ? last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") : ""
}

/** A harness whose Steers wait until a call of its Turn runs. */
const steeredLate = (harness: Harness, running: Effect.Effect<void>, taken: Effect.Effect<unknown>): Harness => {
  const late = (handle: TurnHandle): TurnHandle => ({
    ...handle,
    steer: (steer): Effect.Effect<ControlReceipt> => Effect.andThen(running, Effect.tap(handle.steer(steer), () => taken))
  })
  const prepared = (ready: PreparedHarness): PreparedHarness => ({
    ...ready,
    startTurn: (request, host) => Effect.map(ready.startTurn(request, host), late)
  })
  return { ...harness, prepare: (options) => Effect.map(harness.prepare(options), prepared) }
}

const subject = (scenario: ScenarioName): ConformanceSubject => {
  const inputs: Array<string> = []
  const log = makeSessionLog()
  const [running, taken] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const options = {
    providers: {},
    defaultModel: "script:/script.json",
    readScript: () => Effect.succeed(JSON.stringify({ steps: scripts[scenario] })),
    readImage: () => Effect.succeed(undefined)
  }
  const harness = makeHostedHarnessOver(options, (workspace) => (choice) =>
    Effect.map(makeModelSource(options, workspace)(choice), (opened) => ({
      ...opened,
      model: {
        name: opened.model.name,
        ask: (request, tell) =>
          Effect.suspend(() => {
            inputs.push(newestInput(request.messages))
            return opened.model.ask(request, tell)
          })
      }
    })))
  return {
    harness: scenario === "steer" || scenario === "pending-steer"
      ? steeredLate(harness, Deferred.await(running), Deferred.succeed(taken, undefined))
      : harness,
    inputs: () => inputs,
    approvals: () => [],
    played: Effect.void,
    running: Effect.succeed(0),
    nativeIds: [],
    answers: (request) => ({
      ...log.answers(request, () =>
        Deferred.succeed(running, undefined).pipe(
          Effect.andThen(scenario === "steer" ? Deferred.await(taken) : Effect.never),
          Effect.as({ agentProjection: "made" })
        )),
      ...(scenario === "diff" ? { turnDiff: Effect.succeed(changed) } : {})
    })
  }
}

describeHarnessConformance("the hosted loop", {
  profile: hostedProfile,
  optional: [],
  loop: true,
  make: (scenario) => Effect.sync(() => subject(scenario))
})
