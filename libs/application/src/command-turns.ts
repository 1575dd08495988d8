/**
 * Drives Turns whose only item is a direct command.
 *
 * Ordering: a Turn settles after its call's response is durable.
 */
import { type Fence, TurnLedger } from "@steno/ledger"
import { ToolCallService } from "@steno/tool-call-service"
import type { ConversationId, TurnId } from "@steno/contracts"
import { Context, Effect, Layer } from "effect"
import { type LiveRun, LiveRuns } from "./live-runs.ts"
import { toPortProblem } from "./problems.ts"
import { directCommandTurnResult, restingState } from "./turn-rules.ts"
import { settleTurn } from "./turn-settlement.ts"

export interface CommandTurn {
  readonly fence: Fence
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  readonly command: string
  /** Absolute. */
  readonly workspace: string
  readonly timeoutMs?: number
}

export class CommandTurns extends Context.Service<CommandTurns, {
  /** Starts the drive of an admitted Turn; resolves once the drive has begun. */
  readonly drive: (turn: CommandTurn) => Effect.Effect<void>
}>()("@steno/application/CommandTurns") {
  static readonly layerNoDeps = Layer.effect(
    CommandTurns,
    Effect.gen(function*() {
      const ledger = yield* TurnLedger
      const toolCalls = yield* ToolCallService
      const liveRuns = yield* LiveRuns

      /** Nothing ran; where even that cannot be stored, the next open of the home settles the Turn. */
      const settleNotStarted = (turn: CommandTurn) =>
        Effect.ignore(settleTurn(ledger, turn, { result: "not-started", availability: "open" }, restingState("not-started")))

      const play = Effect.fnUntraced(function*(turn: CommandTurn, run: LiveRun) {
        const { command, conversationId, timeoutMs, turnId, workspace } = turn
        const call = yield* toolCalls.runDirectCommand({
          fence: turn.fence,
          conversationId,
          turnId,
          workspace,
          arguments: { command, cwd: workspace, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
        }).pipe(
          Effect.tapError(() => settleNotStarted(turn)),
          Effect.mapError((error) => toPortProblem(error, "partial"))
        )
        yield* run.carry({
          conversationId,
          turnId,
          stop: (kind) => toolCalls.cancel(call.callId, { force: kind === "forced" })
        })
        const response = yield* call.settled.pipe(Effect.mapError((error) => toPortProblem(error, "unknown")))
        const result = directCommandTurnResult(response)
        const reason = response.reason === undefined ? {} : { detail: response.reason.code }
        yield* settleTurn(
          ledger,
          turn,
          { result, ...reason, availability: run.isCancelled ? "ended" : "open" },
          run.isCancelled ? "cancelled" : restingState(result)
        )
      })

      return CommandTurns.of({
        drive: Effect.fn("CommandTurns.drive")((turn: CommandTurn) => liveRuns.launch(turn.fence, (run) => play(turn, run)))
      })
    })
  )
}
