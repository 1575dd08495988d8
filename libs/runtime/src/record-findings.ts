/**
 * What a record lacks, as findings of `doctor`: each Run and Session by its id.
 *
 * Owns: the words for a fault of the record, Sessions that have files and no row, copies that repairs left.
 */
import type { DoctorFinding } from "@steno/contracts"
import type { DatabaseHealth, RecordFault } from "@steno/ledger"
import { existsSync } from "node:fs"
import { sessionFolderOf } from "./session-folders.ts"

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
    case "record-incomplete":
      return `The record is incomplete: ${what}.`
  }
}

const subjectOf = ({ conversationId, kind, runId }: RecordFault): string =>
  (kind === "session-lost" ? conversationId : runId ?? conversationId) ?? "record"

const remediationOf = (fault: RecordFault, copies: ReadonlyArray<string>): string => {
  const copy = copies.at(-1)
  const source = copy === undefined
    ? "Restore core.sqlite from a backup if it matters."
    : `The damaged database is kept as ${copy}; remove it, with the files named like it, once nothing in it matters any more.`
  return fault.kind === "session-incomplete" || fault.kind === "run-incomplete"
    ? `What is left is shown by \`steno run show ${fault.runId ?? ""}\`. ${source}`
    : source
}

const faultFinding = (copies: ReadonlyArray<string>) => (fault: RecordFault): DoctorFinding => ({
  code: fault.kind,
  severity: "error",
  subject: subjectOf(fault),
  explanation: explanationOf(fault),
  remediation: remediationOf(fault, copies)
})

/** Sessions of `folders` that have no row and still have a folder: one that was removed meanwhile lacks nothing. */
export const unrecorded = (home: string, folders: ReadonlyArray<string>, conversationIds: ReadonlySet<string>): ReadonlyArray<RecordFault> =>
  folders.filter((id) => !conversationIds.has(id) && existsSync(sessionFolderOf(home, id))).map((conversationId) => ({
    kind: "session-lost",
    conversationId,
    what: [`no row is left, while its files are in ${sessionFolderOf(home, conversationId)}`]
  }))

const withoutKnown = (faults: ReadonlyArray<RecordFault>, known: ReadonlyArray<RecordFault>): ReadonlyArray<RecordFault> => {
  const named = new Set(known.flatMap(({ conversationId, kind }) => kind === "session-lost" ? [conversationId] : []))
  return faults.filter(({ conversationId }) => !named.has(conversationId))
}

/** @param folders Sessions that had a folder before the database was looked at */
export const recordFindings = (
  home: string,
  folders: ReadonlyArray<string>,
  { conversationIds, copies, faults }: Pick<DatabaseHealth, "conversationIds" | "copies" | "faults">
): ReadonlyArray<DoctorFinding> => [
  ...[...faults, ...withoutKnown(unrecorded(home, folders, conversationIds), faults)].map(faultFinding(copies)),
  ...copies.map((copy): DoctorFinding => ({
    code: "copy",
    severity: "ok",
    subject: copy,
    explanation: "A damaged database that a repair kept; while it lies here, `steno gc` keeps every file of a Session."
  }))
]
