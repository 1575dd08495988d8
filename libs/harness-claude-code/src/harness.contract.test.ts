import { describeHarnessConformance } from "@steno/harness-seam/testing"
import { Effect } from "effect"
import { recordedProfile } from "./qualification.ts"
import { scriptedHarness } from "./testing/scripted-harness.ts"

const nativeIds = [
  "native-a", "native-b", "native-1", "native-text", "native-half", "native-session", "native-request", "native-uuid"
]

describeHarnessConformance("Claude Code, scripted", {
  profile: recordedProfile,
  optional: ["checkpoint"],
  make: (scenario) =>
    Effect.map(scriptedHarness(scenario === "checkpoint" ? "text" : scenario), (scripted) => ({
      harness: scripted.harness,
      inputs: scripted.inputs,
      approvals: scripted.approvals,
      played: Effect.void,
      running: Effect.sync(scripted.running),
      nativeIds
    }))
})
