/** What a person reads when Steno itself failed. */
import { randomBytes } from "node:crypto"

/** @param cause the pretty-printed defect; it belongs into a report */
export const incidentText = (cause: string): string => {
  const incident = randomBytes(8).toString("hex")
  return [
    `Error [internal]: Steno failed in a way it should not (incident ${incident}).`,
    "Remediation: please report this with the incident id and the lines below.",
    cause,
    ""
  ].join("\n")
}
