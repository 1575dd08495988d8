/**
 * Reads transcripts and whole Runs for export.
 *
 * Owns: the Problem of a refused cursor.
 * Never owns: which rows are conversation and how pages are cut (history-projection).
 */
import type { RunExport, TranscriptExport, TranscriptPage } from "@steno/contracts"
import { buildHistory, firstPage, pageAt, transcriptContents, transcriptExport, type TranscriptSession } from "@steno/history-projection"
import type { SessionRow } from "@steno/ledger"
import type { PortProblem, RunReference, SessionReference, TranscriptQuery } from "@steno/projection-port"
import { Context, Effect, Layer, Result } from "effect"
import { HomeFolder } from "./home-folder.ts"
import { makeProblem } from "./problems.ts"
import { sessionOf } from "./run-reference.ts"
import { buildSnapshot } from "./run-snapshot.ts"
import { Runs } from "./runs.ts"

const transcriptSession = ({ conversationId, name, runId }: SessionRow): TranscriptSession => ({ runId, conversationId, name })

export class Transcripts extends Context.Service<Transcripts, {
  readonly page: (query: TranscriptQuery) => Effect.Effect<TranscriptPage, PortProblem>
  readonly whole: (session: SessionReference) => Effect.Effect<TranscriptExport, PortProblem>
  readonly exportRun: (run: RunReference) => Effect.Effect<RunExport, PortProblem>
}>()("@steno/application/Transcripts") {
  static readonly layerNoDeps = Layer.effect(
    Transcripts,
    Effect.gen(function*() {
      const home = yield* HomeFolder
      const runs = yield* Runs

      const open = Effect.fnUntraced(function*(reference: SessionReference) {
        const { record } = yield* runs.read(reference.run)
        return { history: buildHistory(record.events), session: transcriptSession(yield* sessionOf(record, reference.session)) }
      })

      const page = Effect.fn("Transcripts.page")(function*(query: TranscriptQuery) {
        const { history, session } = yield* open(query)
        if (query.cursor === undefined) return firstPage(history, session)
        const found = pageAt(history, session, query.cursor)
        if (Result.isSuccess(found)) return found.success
        return yield* makeProblem(
          "run-transcript-cursor-invalid",
          `The cursor is not one that a page of this transcript gave (${found.failure.fault}).`,
          "Use the value of `older` exactly, or leave it out to start with the newest page.",
          { details: { fault: found.failure.fault } }
        )
      })

      const whole = Effect.fn("Transcripts.whole")(function*(reference: SessionReference) {
        const { history, session } = yield* open(reference)
        return transcriptExport(history, session)
      })

      const exportRun = Effect.fn("Transcripts.exportRun")(function*(reference: RunReference) {
        const found = yield* runs.read(reference)
        const run = buildSnapshot({ ...found, home: home.path })
        const history = buildHistory(found.record.events)
        return {
          family: "run-export" as const,
          run,
          sessions: found.record.sessions.map((session) => ({
            session: session.name,
            ...transcriptContents(history, transcriptSession(session)),
            calls: run.calls.filter((call) => call.session === session.name).map((call) => ({
              callId: call.callId,
              tool: call.tool,
              input: call.input,
              ...(call.outcome === undefined ? {} : { outcome: call.outcome }),
              ...(call.exitCode === undefined ? {} : { exitCode: call.exitCode }),
              ...(call.output === undefined ? {} : {
                output: {
                  lines: call.output.lines,
                  bytes: call.output.bytes,
                  ...(call.output.droppedBytes === undefined ? {} : { droppedBytes: call.output.droppedBytes }),
                  ...(call.output.path === undefined ? {} : { path: call.output.path })
                }
              })
            }))
          }))
        }
      })

      return Transcripts.of({ page, whole, exportRun })
    })
  )
}
