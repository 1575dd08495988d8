/**
 * Reads Runs: one snapshot, lists, waiting for rest.
 *
 * Owns: what a client sees of a Run now.
 * Never owns: changing one (operations, the drives of Turns).
 */
import { type RunId, type RunListDocument, runListLimits, type RunListRow, type RunSnapshot, type RunState } from "@steno/contracts"
import { CommittedFacts, RunLedger, type RunRecord, type RunRow } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem, RunListQuery, RunReference } from "@steno/projection-port"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { decodeListCursor, encodeListCursor } from "./list-cursor.ts"
import { type Ownership, ownershipOf } from "./ownership.ts"
import { LiveRuns } from "./live-runs.ts"
import { makeProblem, toPortProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import { resolveRun, runNotFound } from "./run-reference.ts"
import { buildSnapshot } from "./run-snapshot.ts"
import { abandonedRunState } from "./turn-rules.ts"

/** States a resume or an answer can continue from. */
const resumableStates: ReadonlyArray<RunState> = ["halted", "blocked"]

/** A Run stored as running may be an abandoned one, which is shown as halted. */
const possiblyResumableStates: ReadonlyArray<RunState> = [...resumableStates, "running"]

const firstLine = (input: string): string => {
  const line = input.split("\n", 1)[0] ?? ""
  return Array.from(line).slice(0, runListLimits.inputCharacters).join("").toWellFormed()
}

/** How long a reading waits for another process that is about to settle the Run. */
const settledElsewhereMs = 250

/** Another process took an abandoned Run over and is about to settle it. */
const isBeingSettled = (run: RunRow): boolean => run.owner !== undefined && run.state !== "running" && run.state !== "blocked"

export interface OwnedRecord {
  readonly record: RunRecord
  readonly ownership: Ownership
}

export class Runs extends Context.Service<Runs, {
  /** The stored record of a named Run with where it is live. Fails with `run-not-found`, `id-ambiguous` or a storage Problem. */
  readonly read: (reference: RunReference) => Effect.Effect<OwnedRecord, PortProblem>
  readonly show: (reference: RunReference) => Effect.Effect<RunSnapshot, PortProblem>
  readonly awaitRest: (runId: RunId) => Effect.Effect<RunSnapshot, PortProblem>
  readonly list: (query: RunListQuery) => Effect.Effect<RunListDocument, PortProblem>
}>()("@steno/application/Runs") {
  static readonly layerNoDeps = Layer.effect(
    Runs,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const ledger = yield* RunLedger
      const committed = yield* CommittedFacts
      const host = yield* ProcessHost
      const reconciliation = yield* Reconciliation
      const liveRuns = yield* LiveRuns

      const ownership = (run: RunRow) => Effect.provideService(ownershipOf(run), ProcessHost, host)

      const read = Effect.fn("Runs.read")(function*(reference: RunReference) {
        yield* reconciliation.opened
        const runId = yield* Effect.provideService(resolveRun(reference), RunLedger, ledger)
        const readOnce = ledger.readRun(runId).pipe(Effect.mapError((error) => toPortProblem(error)))
        const record = yield* readOnce.pipe(
          Effect.repeat({ schedule: Schedule.spaced("20 millis"), while: (found) => found !== undefined && isBeingSettled(found.run) }),
          Effect.timeoutOrElse({ duration: settledElsewhereMs, orElse: () => readOnce })
        )
        if (record === undefined) return yield* runNotFound(reference.text)
        return { record, ownership: yield* ownership(record.run) }
      })

      const show = (reference: RunReference) =>
        Effect.map(read(reference), (found) => buildSnapshot({ ...found, home: home.path }))

      const awaitRest = Effect.fn("Runs.awaitRest")(function*(runId: RunId) {
        const reference: RunReference = { text: runId, workspacePath: "" }
        while (true) {
          const here = liveRuns.rested(runId)
          if (here !== undefined) {
            yield* here
            continue
          }
          const row = yield* ledger.runRow(runId).pipe(Effect.mapError((error) => toPortProblem(error)))
          if (row === undefined) return yield* show(reference)
          const where = yield* ownership(row)
          if (where === "resting") return yield* show(reference)
          if (where === "abandoned") {
            yield* reconciliation.settleIfAbandoned(row)
            if (home.access === "read") return yield* show(reference)
          }
          yield* Effect.raceFirst(Stream.runDrain(Stream.take(committed.otherProcesses, 1)), Effect.sleep("1 second"))
        }
      })

      /** The state an abandoned Run is shown in follows from its record, as in `show`. */
      const stateOf = Effect.fnUntraced(function*(run: RunRow, where: Ownership) {
        if (where !== "abandoned") return run.state
        const record = yield* ledger.readRun(run.runId).pipe(Effect.mapError((error) => toPortProblem(error)))
        return record === undefined ? run.state : abandonedRunState(record)
      })

      const listRow = Effect.fnUntraced(function*(run: RunRow): Effect.fn.Return<RunListRow, PortProblem> {
        const where = yield* ownership(run)
        return {
          runId: run.runId,
          state: yield* stateOf(run, where),
          harness: run.harness.id,
          workspacePath: run.workspacePath,
          input: firstLine(run.input),
          activityAt: run.activityAt,
          live: where === "here" || where === "elsewhere",
          ...(run.owner !== undefined && where !== "abandoned" ? { ownerPid: run.owner.pid } : {})
        }
      })

      const list = Effect.fn("Runs.list")(function*(query: RunListQuery) {
        if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > runListLimits.maximumRows) {
          return yield* makeProblem(
            "limit-invalid",
            `limit must be a whole number from 1 to ${runListLimits.maximumRows}; it was ${query.limit}.`,
            "Repeat the command with a value in this range.",
            { fieldViolations: [{ field: "limit", explanation: `${query.limit} is out of range` }] }
          )
        }
        let before = query.before === undefined ? undefined : yield* decodeListCursor(query.before)
        yield* reconciliation.opened
        const rows: Array<RunListRow> = []
        let isMore = true
        while (isMore && rows.length <= query.limit) {
          const found = yield* ledger.listRuns({
            ...(query.workspacePath === undefined ? {} : { workspacePath: query.workspacePath }),
            ...(query.resumable ? { states: possiblyResumableStates } : {}),
            ...(before === undefined ? {} : { before }),
            limit: query.limit + 1
          }).pipe(Effect.mapError((error) => toPortProblem(error)))
          const shown = yield* Effect.forEach(found, listRow)
          rows.push(...shown.filter((row) => !query.resumable || resumableStates.includes(row.state)))
          before = found.at(-1)?.runId
          isMore = found.length > query.limit
        }
        const page = rows.slice(0, query.limit)
        const last = page.at(-1)
        const isBeginning = rows.length <= query.limit
        return {
          family: "run-list" as const,
          filter: {
            ...(query.workspacePath === undefined ? {} : { workspacePath: query.workspacePath }),
            all: query.workspacePath === undefined,
            resumable: query.resumable
          },
          rows: page,
          ...(!isBeginning && last !== undefined ? { nextCursor: encodeListCursor(last.runId) } : {}),
          beginningOfHistory: isBeginning,
          empty: page.length === 0
        }
      })

      return Runs.of({ read, show, awaitRest, list })
    })
  )
}
