/** A Problem in words for a person. */
import type { Problem } from "@steno/contracts"
import { visibleEscapes } from "./visible-text.ts"

/** Lines with a newline at the end. */
export const problemText = (problem: Problem): string =>
  [
    `Error [${problem.code}]: ${visibleEscapes(problem.explanation)}`,
    ...(problem.fieldViolations ?? []).map((violation) =>
      `  ${visibleEscapes(violation.field)}: ${visibleEscapes(violation.explanation)}`
    ),
    ...(problem.code === "internal" && problem.details?.["incidentId"] !== undefined
      ? [`Incident: ${problem.details["incidentId"]}`]
      : []),
    `Remediation: ${visibleEscapes(problem.remediation)}`,
    ""
  ].join("\n")
