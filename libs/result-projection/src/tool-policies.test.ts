import { ToolName } from "@steno/contracts"
import { describe, expect, it } from "vitest"
import { fallbackPolicy } from "./policy-fallback.ts"
import { profiles } from "./profiles.ts"
import { readPolicy } from "./policy-read.ts"
import { toolPolicies } from "./tool-policies.ts"
import type { CatalogEntry, ToolPolicy } from "./tool-policy.ts"

const profilesOf = (policy: ToolPolicy<ToolName>): ReadonlyArray<string> =>
  policy.kind === "output" ? [policy.profile] : policy.profiles

describe("the table of policies", () => {
  it("holds every tool of the closed set and no other", () => {
    expect(Object.keys(toolPolicies).sort()).toEqual([...ToolName.literals].sort())
  })

  it.each<readonly [ToolName, ReadonlyArray<string>]>([
    ["read", ["source_text"]],
    ["grep", ["search_matches"]],
    ["find", ["file_listing"]],
    ["ls", ["file_listing"]],
    ["write", ["mutation_acknowledgement"]],
    ["edit", ["mutation_acknowledgement"]],
    ["bash", ["process_diagnostics"]],
    ["async_bash", ["lifecycle_state", "process_diagnostics"]],
    ["ask_user", ["human_response"]],
    ["explore", ["delegated_reports"]],
    ["agent", ["lifecycle_state"]],
    ["run_done", ["mutation_acknowledgement"]],
    ["run_failed", ["mutation_acknowledgement"]]
  ])("%s is shortened to %j", (tool, named) => {
    expect(profilesOf(toolPolicies[tool])).toEqual(named)
  })

  it("leaves no profile without a user", () => {
    const used = new Set([...Object.values(toolPolicies).flatMap(profilesOf), ...fallbackPolicy.profiles, "terminal_outcome"])
    expect(Object.keys(profiles).sort()).toEqual([...used].sort())
    for (const [name, profile] of Object.entries(profiles)) expect(profile.name).toBe(name)
  })

  it("a catalog entry without a policy, or with that of another kind, does not compile", () => {
    const entry: CatalogEntry<"read"> = { name: "read", policy: readPolicy }
    // @ts-expect-error the policy is missing
    const without: CatalogEntry<"read"> = { name: "read" }
    // @ts-expect-error the policy of read knows nothing of matches
    const other: CatalogEntry<"grep"> = { name: "grep", policy: readPolicy }
    expect([entry.policy, without.policy, other.policy]).toEqual([readPolicy, undefined, readPolicy])
  })
})
