/**
 * Turns errors of the core libraries into Problems.
 *
 * Owns: code, explanation, remediation and effects of every Problem the application answers with.
 * Never owns: rendering (headless). No input text, environment or secret enters a Problem.
 */
import type { Asset, Problem, ProblemCode } from "@steno/contracts"
import type { AssetStoreError } from "@steno/asset-store"
import type { LedgerError, LedgerReason } from "@steno/ledger"
import type { ProcessCaptureError } from "@steno/process-capture"
import { PortProblem } from "@steno/projection-port"
import type { StorageLow, ToolCallError } from "@steno/tool-call-service"
import { IdMinter } from "@steno/contracts"
import { Cause, Effect } from "effect"

type Effects = Problem["possibleEffects"]

export const makeProblem = (
  code: ProblemCode,
  explanation: string,
  remediation: string,
  more: Partial<Pick<Problem, "possibleEffects" | "details" | "fieldViolations">> = {}
): PortProblem =>
  new PortProblem({ problem: { code, explanation, remediation, possibleEffects: "none", ...more } })

const ledgerProblem = (reason: LedgerReason, possibleEffects: Effects): PortProblem => {
  switch (reason._tag) {
    case "Fenced":
      return makeProblem(
        "run-live-elsewhere",
        "Another process owns this Run by now.",
        "Look at it with `steno run show`.",
        { possibleEffects, details: { runId: reason.runId } }
      )
    case "Conflict":
      return makeProblem(
        "turn-control-rejected",
        `${reason.subject} changed meanwhile.`,
        "Look at the Run with `steno run show` and repeat what is still needed.",
        { possibleEffects }
      )
    case "OperationIdReused":
      return makeProblem(
        "operation-id-reused",
        `The operation id ${reason.operationId} was used before with another input.`,
        "Use a new operation id, or repeat the earlier command exactly.",
        { details: { operationId: reason.operationId } }
      )
    case "RunRemoved":
      return makeProblem(
        "run-not-found",
        `The Run that the operation ${reason.operationId} started was removed; it is not started again.`,
        "Use a new operation id to start another Run.",
        { details: { operationId: reason.operationId } }
      )
    case "StorageBusy":
      return makeProblem(
        "storage-busy",
        `The record stayed locked by another process for ${Math.round(reason.waitedMs)} ms.`,
        "Repeat the command; if it stays locked, look for a process that holds the home.",
        { possibleEffects }
      )
    case "StorageFull":
      return makeProblem(
        "storage-full",
        `There is no space left on the file system of ${reason.path}.`,
        "Free some space there, or use another home with --home or STENO_HOME, then repeat the command.",
        { possibleEffects, details: { path: reason.path } }
      )
    case "StorageReadOnly":
      return makeProblem(
        "home-read-only",
        `The home can only be read: ${reason.path}.`,
        "Make it writable for this user, or use another home with --home or STENO_HOME.",
        { possibleEffects, details: { path: reason.path } }
      )
    case "StorageNewer":
      return makeProblem(
        "home-newer",
        `The home was written by a newer release of Steno (schema ${reason.found}; this release knows ${reason.known}). It was left untouched.`,
        "Use that release, or another home with --home or STENO_HOME.",
        { possibleEffects, details: { path: reason.path, found: reason.found, known: reason.known } }
      )
    case "RecordDamaged":
      return makeProblem(
        "run-store-damaged",
        `A part of the record cannot be read any more: ${reason.subject}.`,
        "Other Runs are not affected. `steno doctor` says what is missing; restore core.sqlite from a backup, or look into a copy that a repair kept, if this Run matters.",
        { possibleEffects, details: { subject: reason.subject } }
      )
    case "StorageDamaged":
      return makeProblem(
        "storage-damaged",
        `The database of the record is damaged: ${reason.path} (${reason.code}).`,
        "Repair it with `steno doctor --repair`: it keeps a copy, saves every row that can be read, and names what is lost.",
        { possibleEffects, details: { path: reason.path, code: reason.code } }
      )
    case "StorageInUse":
      return makeProblem(
        "storage-busy",
        `The database ${reason.path} is open in ${reason.pids.length === 0 ? "another process" : `process ${reason.pids.join(", ")}`}.`,
        "End what uses this home, then repeat the command.",
        { possibleEffects, details: { path: reason.path, ...(reason.pids.length === 0 ? {} : { pids: reason.pids.join(", ") }) } }
      )
    case "StorageFailed":
      return makeProblem(
        "storage-failed",
        `The record could not be read or written: ${reason.code} on ${reason.path}.`,
        "Check the file system and the permissions of the home, then repeat the command.",
        { possibleEffects, details: { path: reason.path, code: reason.code } }
      )
  }
}

const captureProblem = (error: ProcessCaptureError): PortProblem => {
  switch (error.reason._tag) {
    case "PageOutOfRange":
      return makeProblem(
        "limit-invalid",
        `${error.reason.field} must be a whole number ${error.reason.field === "limit" ? "from 1 to 500" : "from 0"}; it was ${error.reason.value}.`,
        "Repeat the command with a value in this range.",
        { fieldViolations: [{ field: error.reason.field, explanation: `${error.reason.value} is out of range` }] }
      )
    case "CaptureFailed":
      return makeProblem(
        error.reason.code === "ENOENT" ? "asset-not-found" : "storage-failed",
        `The captured file ${error.reason.path} could not be read: ${error.reason.code}.`,
        "Check the file and its permissions, then repeat the command.",
        { details: { path: error.reason.path, code: error.reason.code } }
      )
  }
}

const restoreFile = "Restore the file from a backup; its digest is in the record."

const assetProblem = ({ message, reason }: AssetStoreError, possibleEffects: Effects): PortProblem => {
  switch (reason._tag) {
    case "StorageFull":
      return makeProblem("storage-full", message, "Free some space there, then repeat the command.", { possibleEffects })
    case "DigestMismatch":
      return makeProblem("digest-mismatch", `${message}; nothing of it was served.`, restoreFile, { possibleEffects })
    case "NotFound":
    case "ForeignOwner":
      return makeProblem("asset-not-found", message, restoreFile, { possibleEffects })
    case "OpenToOthers":
      return makeProblem("home-permissions", message, "Close the folder with `chmod 700`, then repeat the command.", { possibleEffects })
    default:
      return makeProblem("storage-failed", message, "Check the data folder of the home, then repeat the command.", { possibleEffects })
  }
}

const spaceProblem = ({ freeBytes, limit, limitBytes, path, usedBytes }: StorageLow, possibleEffects: Effects): PortProblem => {
  const details = { path, freeBytes, usedBytes, limitBytes }
  return limit === "min-free"
    ? makeProblem(
      "storage-low",
      `The file system of ${path} has ${freeBytes} bytes free; a new command starts only with ${limitBytes} (minFreeBytes).`,
      "Free some space there, lower minFreeBytes in config/steno.json of the home, or use another home.",
      { possibleEffects, details: { ...details, setting: "minFreeBytes" } }
    )
    : makeProblem(
      "storage-low",
      `The files of this Session take ${usedBytes} bytes in ${path}; no new command of it starts above ${limitBytes} (sessionQuotaBytes). ${freeBytes} bytes are free.`,
      "Go on in a new Run, or raise sessionQuotaBytes in config/steno.json of the home. What runs is not affected.",
      { possibleEffects, details: { ...details, setting: "sessionQuotaBytes" } }
    )
}

const callProblem = (reason: ToolCallError["reason"], possibleEffects: Effects): PortProblem => {
  switch (reason._tag) {
    case "StorageLow":
      return spaceProblem(reason, possibleEffects)
    case "SpaceNotMeasured":
      return makeProblem("storage-failed", reason.explanation, "Check the data folder of the home, then repeat the command.", {
        possibleEffects
      })
    case "PolicyUnusable":
      return makeProblem(
        "policy-invalid",
        `The permission rules in ${reason.path} are not valid, at ${reason.position}: ${reason.explanation}.`,
        "Correct the file; until then nothing is allowed by a rule and no direct command runs.",
        { possibleEffects, details: { path: reason.path, position: reason.position } }
      )
    case "CallNotJudged":
      return makeProblem("internal", reason.message, "Repeat the command; if it is refused again, report this.", { possibleEffects })
    case "CallReleased":
      return makeProblem("run-live-elsewhere", reason.message, "Look at the Run, then answer what it awaits.", { possibleEffects })
    case "CallNotAdmitted":
    case "CallNotSettled":
      return ledgerProblem(reason.cause.reason, possibleEffects)
  }
}

/** Every error the application's libraries answer with. */
export type CoreError = AssetStoreError | LedgerError | ProcessCaptureError | ToolCallError

/** @param possibleEffects whether something may have happened before the error */
export const toPortProblem = (error: CoreError, possibleEffects: Effects = "none"): PortProblem => {
  switch (error._tag) {
    case "LedgerError":
      return ledgerProblem(error.reason, possibleEffects)
    case "AssetStoreError":
      return assetProblem(error, possibleEffects)
    case "ProcessCaptureError":
      return captureProblem(error)
    case "ToolCallError":
      return callProblem(error.reason, possibleEffects)
  }
}

/** What the reader of a managed file is told: the asset is named. */
export const readingProblem = (
  { assetId, path }: Pick<Asset, "assetId" | "path">,
  error: AssetStoreError | ProcessCaptureError
): PortProblem => {
  const { problem } = toPortProblem(error)
  return error._tag === "ProcessCaptureError"
    ? new PortProblem({ problem })
    : new PortProblem({
      problem: { ...problem, explanation: `Asset ${assetId}: ${problem.explanation}`, details: { ...problem.details, assetId, path } }
    })
}

/** A defect becomes a Problem with an incident id; its cause goes to the log, not to the client. */
export const defectsToProblem = <A, R>(effect: Effect.Effect<A, PortProblem, R>): Effect.Effect<A, PortProblem, R> =>
  Effect.catchDefect(effect, (defect) =>
    Effect.gen(function*() {
      const ids = yield* IdMinter
      const incident = (yield* ids.mint("op")).slice("op_".length)
      yield* Effect.logError(`Incident ${incident}`, Cause.die(defect))
      return yield* makeProblem(
        "internal",
        `Steno failed in a way it should not (incident ${incident}).`,
        "Please report this with the incident id and what was printed on stderr.",
        { possibleEffects: "unknown", details: { incident } }
      )
    }))
