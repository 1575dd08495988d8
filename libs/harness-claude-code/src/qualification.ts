/**
 * Which versions of the program are understood, and what each can do.
 *
 * Owns: the profile by version and by the answer to the handshake.
 * Limits: pure; what was recorded with one version is claimed for later ones of the same line, with a limit that says so.
 */
import {
  type Capability,
  HarnessAuthRequired,
  HarnessProbeFailed,
  HarnessVersionUnsupported,
  type HarnessProfile,
  makeHarnessProfile,
  type PrepareError
} from "@steno/harness-seam"
import { type Fields, fieldsAt, textAt } from "./frame-fields.ts"

export const recordedVersion = "2.1.332"

export type Qualification =
  | { readonly kind: "qualified"; readonly version: string; readonly profile: HarnessProfile }
  | { readonly kind: "unavailable"; readonly reason: PrepareError["reason"] }

type Version = readonly [major: number, minor: number, patch: number]

const versionOf = (text: string): Version | undefined => {
  const [, major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

const order = (one: Version, other: Version): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2]

const recorded: Version = [2, 1, 332]
/** The oldest one whose frames were seen to be these. */
const oldest: Version = [2, 1, 197]

const evidence = ["recording"] as const

const claims = (version: Version): ReadonlyArray<Capability> => {
  const distance = order(version, recorded)
  const limits = distance === 0 ? [] : [`Recorded with ${recordedVersion}, this is ${version.join(".")}`]
  const told = (capability: Capability): Capability => ({ ...capability, limits: [...(capability.limits ?? []), ...limits] })
  const sinceRecorded = distance >= 0
    ? [
      told({
        name: "steer",
        state: "supported",
        limits: ["Delivered with the next model request", "One that comes while the last text streams is answered behind it"],
        evidence
      }),
      told({
        name: "model-selection",
        state: "supported",
        limits: ["A change sends one short request to the new model", "No effort is passed on"],
        evidence
      })
    ]
    : []
  return [
    told({ name: "recovery", state: "supported", evidence }),
    told({ name: "interruption", state: "supported", mode: "active-turn", evidence }),
    told({ name: "approvals", state: "supported", limits: ["Once, for this call"], evidence }),
    told({ name: "clarifications", state: "supported", limits: ["One answer to each question"], evidence }),
    told({ name: "thought-summaries", state: "supported", evidence }),
    told({ name: "coordinate-timing", state: "supported", mode: "during-turn", evidence }),
    ...sinceRecorded
  ]
}

/** What is claimed before a program was looked at. */
export const recordedProfile: HarnessProfile = makeHarnessProfile(claims(recorded))

/** The program has nothing by which the provider would know the person. */
const lacksLogin = (answer: Fields): boolean => {
  const account = fieldsAt(answer, "account")
  return account["apiProvider"] === "firstParty" && account["tokenSource"] === "none" && account["apiKeySource"] === undefined
}

const remedy = "Update it with `claude update`."

const unsupported = (explanation: string): Qualification => ({
  kind: "unavailable",
  reason: new HarnessVersionUnsupported({ explanation, remedy })
})

/**
 * @param version what `--version` said
 * @param probe the answer to the handshake; undefined where it was not asked yet
 */
export const qualify = (version: string, probe?: Fields): Qualification => {
  const said = versionOf(version)
  if (said === undefined) return unsupported("Claude Code did not tell its version")
  const words = said.join(".")
  if (said[0] !== recorded[0] || order(said, oldest) < 0) {
    return unsupported(`Claude Code ${words} is not understood; ${oldest.join(".")} and later versions of ${recorded[0]} are`)
  }
  const answered = probe === undefined ? undefined : textAt(probe, "claude_code_version")
  if (probe !== undefined && !Array.isArray(probe["commands"])) {
    return {
      kind: "unavailable",
      reason: new HarnessProbeFailed({ explanation: `Claude Code ${words} did not answer its handshake as it should`, remedy })
    }
  }
  if (answered !== undefined && answered !== words) return unsupported(`Claude Code says it is ${words} and ${answered}`)
  if (probe !== undefined && lacksLogin(probe)) {
    return {
      kind: "unavailable",
      reason: new HarnessAuthRequired({
        explanation: "Claude Code is not logged in",
        remedy: "Run `claude` and log in, or set ANTHROPIC_API_KEY."
      })
    }
  }
  return { kind: "qualified", version: words, profile: makeHarnessProfile(claims(said)) }
}
