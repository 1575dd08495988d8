import { describeHarnessConformance, type ScenarioName } from "@steno/harness-seam/testing"
import { Effect } from "effect"
import { customAgent } from "./acp-presets.ts"
import { acpProfile } from "./acp-profile.ts"
import type { AgentEntry } from "./testing/agent-log.ts"
import type { AgentScenario } from "./testing/agent-scenarios.ts"
import { scriptedSubject } from "./testing/scripted-subject.ts"

const profile = acpProfile(customAgent({ program: "scripted", arguments: [], thoughts: "summaries" }), {
  version: "1.0.0",
  loads: true,
  offersModels: false
})

/** Scenarios that the protocol has nothing for, and that the suite asks of nobody who does not claim them. */
type Foreign = "diff" | "steer" | "pending-steer" | "agent-call" | "checkpoint"
const foreign: ReadonlySet<ScenarioName> = new Set<Foreign>(["diff", "steer", "pending-steer", "agent-call", "checkpoint"])
const isPlayed = (scenario: ScenarioName): scenario is Exclude<ScenarioName, Foreign> & AgentScenario => !foreign.has(scenario)

const inputs = (entries: ReadonlyArray<AgentEntry>) => entries.flatMap((entry) => ("input" in entry ? [entry.input] : []))

const approvals = (entries: ReadonlyArray<AgentEntry>) =>
  entries.flatMap((entry) => ("approval" in entry ? [entry] : [])).toSorted((one, other) => one.approval - other.approval)
    .map(({ told }) => told)

describeHarnessConformance("an ACP agent", {
  profile,
  optional: ["execute", "context"],
  make: (scenario) =>
    Effect.gen(function*() {
      if (!isPlayed(scenario)) return yield* Effect.die(new Error(`ACP has no ${scenario}`))
      const { entries, entry, harness, running } = yield* scriptedSubject(scenario)
      return {
        harness,
        inputs: () => inputs(entries()),
        approvals: () => approvals(entries()),
        played: entry((one) => "played" in one),
        running: Effect.sync(running),
        nativeIds: ["native-a", "native-b", "native-text", "native-1", "native-session"]
      }
    })
})
