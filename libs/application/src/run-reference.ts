/** Finds the Run, Session or call a person named. */
import { RunId } from "@steno/contracts"
import { RunLedger, type RunRecord, type SessionRow } from "@steno/ledger"
import type { PortProblem, RunReference } from "@steno/projection-port"
import { Effect, Schema } from "effect"
import { makeProblem, toPortProblem } from "./problems.ts"
import { recordedCalls } from "./recorded-calls.ts"

const minimumPrefix = 8
const isRunId = Schema.is(RunId)

/** The Problem of a Run that is not in this home. */
export const runNotFound = (text: string) =>
  makeProblem(
    "run-not-found",
    `There is no Run ${JSON.stringify(text)} in this home.`,
    "List the Runs of this workspace with `steno run list`, or all of them with `steno run list --all`.",
    { details: { run: text } }
  )

/** Too few characters to be meant for one. */
const tooShort = (text: string, details: Readonly<Record<string, string>>) =>
  makeProblem(
    "id-ambiguous",
    `${JSON.stringify(text)} is too short: a shortened id has at least ${minimumPrefix} characters after its prefix.`,
    "Give more characters of the id.",
    { details }
  )

/** What a shortened id has after its prefix; anything else cannot name anything. */
const isShortenedId = (rest: string) => /^[0-9A-HJKMNP-TV-Z]{1,26}$/i.test(rest)

/** Fails with `run-not-found` or `id-ambiguous`. */
export const resolveRun = Effect.fnUntraced(function*(reference: RunReference) {
  const runs = yield* RunLedger
  if (reference.text === "@last") {
    const [newest] = yield* runs.listRuns({ workspacePath: reference.workspacePath, limit: 1 }).pipe(
      Effect.mapError((error) => toPortProblem(error))
    )
    if (newest === undefined) {
      return yield* makeProblem(
        "run-not-found",
        `There is no Run of the workspace ${reference.workspacePath} in this home.`,
        "Start one with `steno run start`, or name a Run by its id."
      )
    }
    return newest.runId
  }
  if (isRunId(reference.text)) return reference.text
  const [prefix, rest] = ["run_", reference.text.startsWith("run_") ? reference.text.slice(4) : reference.text]
  if (!isShortenedId(rest)) return yield* runNotFound(reference.text)
  if (rest.length < minimumPrefix) return yield* tooShort(reference.text, { run: reference.text })
  const found = yield* runs.runIdsByPrefix(`${prefix}${rest.toUpperCase()}`, 2).pipe(
    Effect.mapError((error) => toPortProblem(error))
  )
  const [first, second] = found
  if (first === undefined) return yield* runNotFound(reference.text)
  if (second !== undefined) {
    return yield* makeProblem(
      "id-ambiguous",
      `Several Runs start with ${JSON.stringify(reference.text)}.`,
      "Give more characters of the id.",
      { details: { run: reference.text } }
    )
  }
  return first
})

/** Without a name the Run's first Session. Fails with `run-session-not-found`. */
export const sessionOf = (record: RunRecord, name: string | undefined): Effect.Effect<SessionRow, PortProblem> => {
  const found = name === undefined ? record.sessions[0] : record.sessions.find((session) => session.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const names = record.sessions.map((session) => session.name).join(", ")
  return Effect.fail(makeProblem(
    "run-session-not-found",
    `Run ${record.run.runId} has no Session ${JSON.stringify(name)}.`,
    `Its Sessions: ${names === "" ? "none" : names}.`,
    { details: { run: record.run.runId } }
  ))
}

/** A call by id, unique prefix or ordinal. Fails with `call-not-found` or `id-ambiguous`. */
export const resolveCall = Effect.fnUntraced(function*(record: RunRecord, text: string) {
  const calls = recordedCalls(record)
  const notFound = makeProblem(
    "call-not-found",
    `Run ${record.run.runId} has no call ${JSON.stringify(text)}.`,
    `List its calls with \`steno run show ${record.run.runId}\`.`,
    { details: { run: record.run.runId, call: text } }
  )
  if (/^[1-9]\d{0,8}$/.test(text)) {
    const byOrdinal = calls[Number(text) - 1]
    return byOrdinal ?? (yield* notFound)
  }
  const rest = (text.startsWith("call_") ? text.slice(5) : text).toUpperCase()
  if (!isShortenedId(rest)) return yield* notFound
  if (rest.length < minimumPrefix) return yield* tooShort(text, { run: record.run.runId, call: text })
  const candidates = calls.filter(({ callId }) => callId.startsWith(`call_${rest}`))
  const [first, second] = candidates
  if (first === undefined) return yield* notFound
  if (second !== undefined) {
    return yield* makeProblem("id-ambiguous", `Several calls start with ${JSON.stringify(text)}.`, "Give more characters of the id.")
  }
  return first
})
