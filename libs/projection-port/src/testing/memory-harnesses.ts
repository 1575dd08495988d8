/**
 * Harnesses of the Port in memory.
 *
 * Owns: a catalog with one harness of each kind; a check that tells capabilities.
 */
import type { HarnessCapability, HarnessEntry } from "@steno/contracts"

const capabilities: ReadonlyArray<HarnessCapability> = [
  { name: "interruption", state: "supported", mode: "active-turn", evidence: ["probe", "recording"] },
  { name: "steer", state: "limited", evidence: ["documented"], limits: ["A Steer goes into the next request"] },
  { name: "turn-diff", state: "unsupported", evidence: [] }
]

/** Part of Steno with models; a program that was found; one that is missing. */
export const testHarnesses: ReadonlyArray<HarnessEntry> = [
  {
    id: "hosted",
    name: "Hosted loop",
    default: true,
    found: true,
    qualification: "qualified",
    needs: "A model.",
    models: [
      { name: "anthropic/MODEL", available: false, needs: "ANTHROPIC_API_KEY, which is not set" },
      { name: "script:FILE", available: true, needs: "a script file and no key" }
    ],
    capabilities
  },
  {
    id: "codex",
    name: "Codex",
    found: true,
    path: "/usr/bin/codex",
    version: "1.2.3",
    qualification: "limited",
    reason: "Its version is newer than any that was tried.",
    capabilities
  },
  { id: "claude-code", name: "Claude Code", found: false, qualification: "unavailable", reason: "No program claude on PATH." }
]

export const withoutCapabilities = ({ capabilities: _, ...entry }: HarnessEntry): HarnessEntry => entry
