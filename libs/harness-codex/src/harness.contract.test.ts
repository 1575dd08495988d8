import { type ConformanceSubject, describeHarnessConformance, type ScenarioName } from "@steno/harness-seam/testing"
import { Effect, type Scope } from "effect"
import { codexProfile } from "./codex-profile.ts"
import { scriptedCodex } from "./testing/scripted-subject.ts"

const told: Readonly<Record<string, "allowed" | "denied" | "cancelled">> = { accept: "allowed", decline: "denied", cancel: "cancelled" }

const subject = (scenario: ScenarioName): Effect.Effect<ConformanceSubject, never, Scope.Scope> =>
  Effect.map(scriptedCodex(scenario), ({ entries, harness, running }) => ({
    harness,
    inputs: () => entries().flatMap(({ input }) => (input === undefined ? [] : [input])),
    approvals: () => entries().flatMap(({ approval }) => (approval === undefined ? [] : [told[approval] ?? "cancelled"])),
    played: Effect.suspend(() =>
      entries().some(({ played }) => played !== undefined) ? Effect.void : Effect.fail("playing" as const)
    ).pipe(Effect.eventually),
    running: Effect.sync(running),
    nativeIds: ["native-a", "native-b", "native-text", "native-1"]
  }))

describeHarnessConformance("Codex", { profile: codexProfile, optional: ["context"], make: subject })
