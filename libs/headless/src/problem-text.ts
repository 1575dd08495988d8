/** A Problem in words for a person. */
import type { Problem } from "@steno/contracts"
import { visibleText } from "./visible-text.ts"

/** Lines with a newline at the end. */
export const problemText = (problem: Problem): string =>
  [
    `Error [${problem.code}]: ${visibleText(problem.explanation)}`,
    ...(problem.fieldViolations ?? []).map((violation) =>
      `  ${visibleText(violation.field)}: ${visibleText(violation.explanation)}`
    ),
    ...(problem.code === "internal" && problem.details?.["incidentId"] !== undefined
      ? [`Incident: ${problem.details["incidentId"]}`]
      : []),
    `Remediation: ${visibleText(problem.remediation)}`,
    ""
  ].join("\n")
