/**
 * Repairs the database of a home.
 *
 * Owns: whether there is anything to repair, what the files of calls still tell of rows that are lost, the finding that says what was done.
 * Never owns: the salvage (ledger), what the record lacks afterwards (doctor).
 */
import { toPortProblem } from "@steno/application/problems"
import { type Asset, callFolder, type CaptureStream, type DoctorDocument, type DoctorFinding } from "@steno/contracts"
import { databaseHealth, type LostFiles, repairDatabase, type Repaired } from "@steno/ledger"
import { CaptureFiles } from "@steno/process-capture"
import { Effect, Result } from "effect"
import { join } from "node:path"
import { databaseFile } from "./database-file.ts"
import { examineHome } from "./doctor.ts"
import { isEmptied } from "./session-folders.ts"

/** Rows of a call's files, where as many files are there as its response names, each as long as it was. */
const restoreCall = Effect.fnUntraced(function*(home: string, { assetIds, callId, capture, conversationId }: LostFiles) {
  const captures = yield* CaptureFiles
  const folder = callFolder(conversationId, callId)
  const inspected = yield* Effect.result(captures.inspect(join(home, folder)))
  if (Result.isFailure(inspected)) return []
  const { files } = inspected.success
  const factsOf = (stream: CaptureStream) => capture[stream]
  if (files.length !== assetIds.length || files.some(({ sizeBytes, stream }) => factsOf(stream).storedBytes !== sizeBytes)) return []
  return files.flatMap(({ digest, name, sizeBytes, stream }, index): ReadonlyArray<Asset> => {
    const assetId = assetIds[index]
    if (assetId === undefined) return []
    return [{ assetId, callId, category: "output", path: `${folder}/${name}`, digest, sizeBytes, stream, capture: factsOf(stream) }]
  })
})

const isDamaged = Effect.fnUntraced(function*(home: string) {
  if (isEmptied(home)) return true
  const health = yield* Effect.result(databaseHealth(databaseFile(home)))
  if (Result.isSuccess(health)) return health.success !== undefined && health.success.damage.length > 0
  if (health.failure.reason._tag === "StorageDamaged") return true
  return yield* toPortProblem(health.failure)
})

const repairFinding = (file: string, { copy, losses, restored }: Repaired): DoctorFinding => {
  const rows = losses.reduce((sum, loss) => sum + loss.rows.length, 0)
  const isWhole = rows === 0 && losses.every(({ isUncertain }) => !isUncertain)
  const outcome = isWhole ? "every row came over" : `${rows} rows are lost`
  const anew = [
    ...(restored.runs === 0 ? [] : [` Rows of Runs made anew from what else is stored of them: ${restored.runs}.`]),
    ...(restored.assets.length === 0 ? [] : [` Rows of files made anew from the files: ${restored.assets.length}.`])
  ].join("")
  return {
    code: "repair",
    severity: isWhole ? "ok" : "error",
    subject: file,
    explanation: `The database was repaired; ${outcome}.${anew} The damaged one is kept as ${copy}.`,
    ...(isWhole ? {} : { remediation: "The Runs and Sessions that are lost or incomplete are named here; the copy is the only other record of them." })
  }
}

const withFinding = (document: DoctorDocument, finding: DoctorFinding): DoctorDocument => ({
  ...document,
  ok: document.ok && finding.severity !== "error",
  findings: [...document.findings, finding]
})

/** @param path the person's PATH */
export const repairHome = Effect.fn("repairHome")(function*(home: string, path: string) {
  const file = databaseFile(home)
  if (!(yield* isDamaged(home))) {
    return withFinding(yield* examineHome(home, path), {
      code: "repair",
      severity: "ok",
      subject: file,
      explanation: "The database file is sound; there was nothing to repair and nothing was changed."
    })
  }
  const repaired = yield* repairDatabase({
    file,
    restore: (lost) => Effect.map(Effect.forEach(lost, (files) => restoreCall(home, files)), (found) => found.flat())
  }).pipe(Effect.mapError((error) => toPortProblem(error)), Effect.provide(CaptureFiles.layer))
  return withFinding(yield* examineHome(home, path), repairFinding(file, repaired))
})
