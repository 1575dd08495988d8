/** A Problem in words for a person; what its explanation says of a field already is not said again. */
import type { Problem } from "@steno/contracts"
import { visibleLine } from "./visible-text.ts"

/** Lines with a newline at the end. */
export const problemText = (problem: Problem): string =>
  [
    `Error [${problem.code}]: ${visibleLine(problem.explanation)}`,
    ...(problem.fieldViolations ?? [])
      .filter((violation) => !problem.explanation.includes(violation.explanation))
      .map((violation) => `  ${visibleLine(violation.field)}: ${visibleLine(violation.explanation)}`),
    `Remediation: ${visibleLine(problem.remediation)}`,
    ""
  ].join("\n")
