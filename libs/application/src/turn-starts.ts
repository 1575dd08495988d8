/**
 * Starts Turns of Runs at rest, goes on with those that rest, and ends them.
 *
 * Owns: taking a Run at rest over for a Turn.
 * Never owns: which Operation may do what when (run-control), the drive (harness-turns).
 * Ordering: the harness is prepared before the Run is taken, so that what it lacks changes nothing; an answer is stored before
 * its Turn is carried on. Fails with `Fenced` when another process took the Run first; nothing was done then.
 */
import type { CallId, ConversationId, RunState, TurnAdmitted, TurnId } from "@steno/contracts"
import { type Fence, type LedgerError, RunLedger, type RunRecord, TurnLedger, type TurnRow } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem } from "@steno/projection-port"
import { type AnswerOutcome, type CallAnswer, type ToolCallError, ToolCallService } from "@steno/tool-call-service"
import { Context, DateTime, Effect, Layer } from "effect"
import { continuedTurn, wantedModel } from "./continued-turn.ts"
import { cannotGoOn, conversationGone } from "./control-problems.ts"
import { askedOf, HarnessPreparation, type PreparedRun } from "./harness-preparation.ts"
import { HarnessTurns } from "./harness-turns.ts"
import { settleTurn } from "./turn-settlement.ts"

export interface FurtherTurn {
  readonly turnId: TurnId
  readonly conversationId: ConversationId
  readonly origin: TurnAdmitted["origin"]
  readonly input: string
}

export interface GivenAnswer {
  readonly callId: CallId
  readonly resolution: CallAnswer
}

type Failure = LedgerError | PortProblem | ToolCallError

/** Answers after which the Turn goes on. */
export const isTaken = ({ decision, response }: AnswerOutcome): boolean =>
  decision === "recorded" || (decision === "repeated" && response === undefined)

export class TurnStarts extends Context.Service<TurnStarts, {
  /** Admits the Turn and starts its drive. */
  readonly start: (record: RunRecord, turn: FurtherTurn) => Effect.Effect<void, Failure>
  /** Carries a Turn on that rests. With an answer that is not taken the Run rests again, and nothing else happened. */
  readonly goOn: (record: RunRecord, turn: TurnRow, answer?: GivenAnswer) => Effect.Effect<AnswerOutcome | undefined, Failure>
  /** Settles a Turn that rests as interrupted; its calls end, also those whose answer is stored. */
  readonly end: (record: RunRecord, turn: TurnRow, rest: RunState) => Effect.Effect<void, Failure>
}>()("@steno/application/TurnStarts") {
  static readonly layerNoDeps = Layer.effect(
    TurnStarts,
    Effect.gen(function*() {
      const runs = yield* RunLedger
      const turns = yield* TurnLedger
      const host = yield* ProcessHost
      const toolCalls = yield* ToolCallService
      const preparation = yield* HarnessPreparation
      const harnessTurns = yield* HarnessTurns

      const now = Effect.map(DateTime.now, DateTime.formatIso)

      const takeOver = Effect.fnUntraced(function*({ run: { epoch, runId } }: RunRecord) {
        return yield* runs.takeOver({ runId, epoch, owner: yield* host.self, at: yield* now })
      })

      /** As it was before it was taken. */
      const giveBack = ({ run: { state } }: RunRecord, fence: Fence) =>
        Effect.flatMap(now, (at) => Effect.ignore(runs.restRun(fence, { state, at })))

      const startOf = ({ run, start }: RunRecord) => start === undefined ? Effect.fail(cannotGoOn(run.runId)) : Effect.succeed(start)

      const sessionRow = ({ sessions }: RunRecord, conversationId: ConversationId) =>
        sessions.find((session) => session.conversationId === conversationId)

      const nameOf = (record: RunRecord, conversationId: ConversationId) => sessionRow(record, conversationId)?.name ?? ""

      const coordinateOf = (record: RunRecord, conversationId: ConversationId) => sessionRow(record, conversationId)?.coordinate

      /** From the moment on in which the Run is taken nothing may come in between, or nobody would drive it. */
      const holding = <A>(record: RunRecord, use: (fence: Fence) => Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
        Effect.uninterruptible(
          Effect.flatMap(takeOver(record), (fence) => Effect.tapError(use(fence), () => giveBack(record, fence)))
        )

      const taking = <A>(
        record: RunRecord,
        prepare: Effect.Effect<PreparedRun, PortProblem>,
        use: (fence: Fence, run: PreparedRun) => Effect.Effect<A, Failure>
      ): Effect.Effect<A, Failure> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(prepare), (run) =>
            Effect.tapError(holding(record, (fence) => use(fence, run)), () => run.prepared.close)))

      const start = Effect.fn("TurnStarts.start")(function*(record: RunRecord, further: FurtherTurn) {
        const wanted = wantedModel(record, yield* startOf(record))
        const { conversationId, input, origin, turnId } = further
        if (sessionRow(record, conversationId)?.availability === "ended") {
          return yield* conversationGone(record.run.runId, nameOf(record, conversationId))
        }
        yield* taking(record, preparation.prepare(wanted, turnId, coordinateOf(record, conversationId)), Effect.fnUntraced(function*(fence, run) {
          yield* turns.admitTurn(fence, {
            conversationId,
            turnId,
            admitted: { input, origin, ...askedOf(run) },
            at: yield* now
          })
          yield* harnessTurns.drive({
            fence,
            conversationId,
            turnId,
            session: nameOf(record, conversationId),
            origin,
            input,
            start: wanted,
            ...run
          })
        }))
      })

      const goOn = Effect.fn("TurnStarts.goOn")(function*(record: RunRecord, { conversationId, origin, turnId }: TurnRow, answer?: GivenAnswer) {
        const wanted = wantedModel(record, yield* startOf(record), turnId)
        const admitted = record.events.find((event) => event.type === "turn-admitted" && event.turnId === turnId)
        return yield* taking(record, preparation.prepare(wanted, turnId, coordinateOf(record, conversationId)), Effect.fnUntraced(function*(fence, run) {
          const outcome = answer === undefined ? undefined : yield* toolCalls.answer(fence, answer)
          if (outcome !== undefined && !isTaken(outcome)) {
            yield* Effect.andThen(run.prepared.close, giveBack(record, fence))
            return outcome
          }
          yield* harnessTurns.drive({
            fence,
            conversationId,
            turnId,
            session: nameOf(record, conversationId),
            origin,
            input: admitted?.type === "turn-admitted" ? admitted.payload.input : "",
            start: wanted,
            continues: continuedTurn(record, turnId),
            ...run
          })
          return outcome
        }))
      })

      const end = Effect.fn("TurnStarts.end")(function*(record: RunRecord, { conversationId, turnId }: TurnRow, rest: RunState) {
        const { run: { workspacePath } } = record
        yield* holding(record, Effect.fnUntraced(function*(fence) {
          yield* toolCalls.stopTurn(turnId, { force: true })
          const adopted = yield* toolCalls.adopt({ fence, conversationId, turnId, workspace: workspacePath, approvals: "ask" })
          yield* adopted.settled
          yield* settleTurn(
            turns,
            { fence, conversationId, turnId },
            { result: "interrupted", availability: rest === "cancelled" ? "ended" : "open" },
            rest
          )
        }))
      })

      return TurnStarts.of({ start, goOn, end })
    })
  )
}
