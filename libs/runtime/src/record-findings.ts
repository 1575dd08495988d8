/** What a record lacks, as findings of `doctor`: each Run and Session by its id. */
import type { DoctorFinding } from "@steno/contracts"
import type { RecordFault } from "@steno/ledger"

const sessionText = ({ conversationId, session }: RecordFault): string =>
  session === undefined ? `Session ${conversationId}` : `Session ${session} (${conversationId})`

const explanationOf = (fault: RecordFault): string => {
  const what = fault.what.join("; ")
  switch (fault.kind) {
    case "run-lost":
      return `Of the Run ${what}; no list shows it.`
    case "session-lost":
      return `Of this Session ${what}; ${fault.runId === undefined ? "its Run is not known" : `its Run is ${fault.runId}`}.`
    case "run-incomplete":
      return `The Run is incomplete: ${what}.`
    case "session-incomplete":
      return `${sessionText(fault)} is incomplete: ${what}.`
  }
}

const remediationOf = (fault: RecordFault): string => {
  const copy = "Restore core.sqlite from a backup if it matters."
  return fault.kind === "run-lost" || fault.kind === "session-lost" || fault.runId === undefined
    ? copy
    : `What is left is shown by \`steno run show ${fault.runId}\`. ${copy}`
}

export const recordFindings = (faults: ReadonlyArray<RecordFault>): ReadonlyArray<DoctorFinding> =>
  faults.map((fault) => ({
    code: fault.kind,
    severity: "error",
    subject: (fault.kind === "session-lost" ? fault.conversationId : fault.runId ?? fault.conversationId) ?? "record",
    explanation: explanationOf(fault),
    remediation: remediationOf(fault)
  }))
