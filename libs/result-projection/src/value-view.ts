/**
 * What a model sees of a candidate: unchanged where it fits, else reduced by the policy's strategy.
 *
 * Owns: the order hygiene, measuring, strategy; the decision record of values.
 * Limits: a strategy reads the candidate, never the outcome of another strategy.
 */
import type { ImageReference } from "@steno/contracts"
import type { Candidate } from "./candidate.ts"
import { cleanCandidate } from "./clean-text.ts"
import type { RegisteredFile } from "./file-claims.ts"
import { profiles, type Profile, type ProfileName } from "./profiles.ts"
import type { DecisionRecord } from "./result-policy.ts"
import { artifactIndex } from "./strategy-artifact-index.ts"
import { compound, fitsAsReport } from "./strategy-compound.ts"
import { continuationAware } from "./strategy-continuation-aware.ts"
import { head } from "./strategy-head.ts"
import { itemAware } from "./strategy-item-aware.ts"
import { contentLines, payloadLines, type Reduced, type Strategy, unchanged } from "./strategy.ts"
import { isWithin, sizeOf } from "./text-lines.ts"

export interface AgentView {
  readonly text: string
  readonly images: ReadonlyArray<ImageReference>
  readonly decision: DecisionRecord
}

/** Strategies a policy may name. */
export const overflowStrategies = {
  head,
  "item-aware": itemAware,
  "continuation-aware": continuationAware,
  "artifact-index": artifactIndex,
  compound
} as const satisfies Readonly<Record<string, Strategy>>
export type OverflowStrategy = keyof typeof overflowStrategies

const fits = (candidate: Candidate, profile: Profile): boolean =>
  candidate.reports.length > 0
    ? candidate.reports.every((report) => fitsAsReport(report, profile))
    : isWithin(sizeOf(payloadLines(candidate)), profile.inline) &&
      contentLines(candidate).length <= (profile.contentLines ?? Infinity) &&
      candidate.items.length <= (profile.items ?? Infinity)

export const viewOfReduced = (
  profile: Profile,
  reduced: Reduced,
  total: { readonly lines: number; readonly bytes: number }
): AgentView => ({
  text: reduced.lines.join("\n"),
  images: reduced.images,
  decision: {
    fits: reduced.strategy === "unchanged" || (reduced.strategy === "terminal-outcome" && reduced.omitted.length === 0),
    profile: profile.name,
    strategy: reduced.strategy,
    totalLines: total.lines,
    totalBytes: total.bytes,
    payloadLines: reduced.payload.lines,
    payloadBytes: reduced.payload.bytes,
    kept: reduced.kept,
    omitted: reduced.omitted,
    ...(reduced.continuation === undefined ? {} : { continuation: reduced.continuation }),
    warnings: []
  }
})

/** @param files checked files of the call; they are named where something is left out */
export const viewOfCandidate = (
  raw: Candidate,
  profileName: ProfileName,
  strategy: OverflowStrategy,
  files: ReadonlyArray<RegisteredFile>
): AgentView => {
  const profile: Profile = profiles[profileName]
  const candidate = cleanCandidate({ ...raw, files: [...raw.files, ...files] })
  const reduce: Strategy = fits(candidate, profile)
    ? candidate.reports.length > 0 ? compound : unchanged
    : overflowStrategies[strategy]
  const reduced = reduce(candidate, profile)
  const isWhole = reduced.omitted.length === 0 && fits(candidate, profile)
  return viewOfReduced(
    profile,
    isWhole ? { ...reduced, strategy: "unchanged", kept: [] } : reduced,
    sizeOf(contentLines(candidate))
  )
}
