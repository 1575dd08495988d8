/** A projection as the frozen document that explains it. */
import type { ProjectionDocument } from "@steno/contracts"
import type { Projection } from "./result-policy.ts"

export const projectionDocument = ({ agent, decision }: Pick<Projection, "agent" | "decision">): ProjectionDocument => ({
  family: "projection",
  text: agent,
  fits: decision.fits,
  profile: decision.profile,
  strategy: decision.strategy,
  totalLines: decision.totalLines,
  totalBytes: decision.totalBytes,
  payloadLines: decision.payloadLines,
  payloadBytes: decision.payloadBytes,
  kept: decision.kept,
  omitted: decision.omitted,
  ...(decision.warnings === undefined || decision.warnings.length === 0 ? {} : { warnings: decision.warnings })
})
