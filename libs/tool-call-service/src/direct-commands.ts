/**
 * Commands that a person typed: one call each, from the judgement to the admission.
 *
 * Owns: the commit that carries an allowed command over supervision, readiness and claim.
 * Ordering: judged before it is created; a denied one is created, so that its denial is on record, and never starts.
 */
import { IdMinter, type Supervision } from "@steno/contracts"
import { CallLedger, type NewCall } from "@steno/ledger/calls"
import { Deferred, Effect } from "effect"
import type { AdmittedCall, DirectCommand } from "./call-requests.ts"
import { carryOver, deniedBy, directCommandPath } from "./call-rules.ts"
import { CallSupervision } from "./call-supervision.ts"
import type { CallCarrier } from "./carrying-calls.ts"
import { mintClaim } from "./claim.ts"
import { type HostCall, HostTools } from "./host-tools.ts"
import { LiveCall } from "./live-calls.ts"
import { nowInstant } from "./row-changes.ts"
import type { Running } from "./running-calls.ts"
import { notBegun, type Settlement } from "./settling-calls.ts"
import { CallNotAdmitted, CallNotJudged, ToolCallError } from "./tool-call-errors.ts"

const typedByUser: Supervision = { decision: "allow", by: "user" }

export const makeDirectCommands = Effect.fnUntraced(function*(
  { carrier, running, settle }: { readonly carrier: CallCarrier; readonly running: Running; readonly settle: Settlement }
) {
  const ledger = yield* CallLedger
  const supervision = yield* CallSupervision
  const tools = yield* HostTools
  const ids = yield* IdMinter

  const judge = ({ arguments: { command, cwd }, workspace }: DirectCommand) =>
    Effect.suspend(() => supervision.judgeDirectCommand({ command, cwd, workspace })).pipe(
      Effect.catchDefect((cause) => Effect.fail(new CallNotJudged({ cause }))),
      Effect.mapError((reason) => new ToolCallError({ reason }))
    )

  const admit = (command: DirectCommand, call: HostCall, row: Pick<NewCall, "state" | "supervision" | "claim">) =>
    Effect.flatMap(nowInstant, (at) =>
      ledger.createToolCalls(command.fence, [{
        conversationId: command.conversationId,
        turnId: command.turnId,
        itemId: call.callId,
        firstSeen: 0,
        started: { callId: call.callId, origin: "user", tool: call.tool, arguments: command.arguments },
        ...row,
        at
      }])).pipe(Effect.mapError((cause) => new ToolCallError({ reason: new CallNotAdmitted({ cause }) })))

  const runEntered = (live: LiveCall, claim: string) =>
    Effect.scoped(Effect.gen(function*() {
      const entered = yield* tools.enter(live.call)
      return yield* settle(live, yield* running.runTool(live, claim, entered, {}))
    }))

  const begin = Effect.fnUntraced(function*(command: DirectCommand, call: HostCall, decided: Supervision) {
    if (decided.decision === "deny") {
      yield* admit(command, call, { state: "supervising", supervision: decided })
      const live = new LiveCall(call, { fence: command.fence, approvals: "ask" }, { state: "supervising", claim: undefined })
      yield* carrier.launch(live, settle(live, notBegun(deniedBy(decided))))
      return live
    }
    const claim = yield* mintClaim(command.fence.epoch)
    // The path is a constant of ours: an illegal step in it is a defect.
    const state = yield* Effect.orDie(Effect.fromResult(carryOver(...directCommandPath)))
    yield* admit(command, call, { state, supervision: typedByUser, claim })
    const live = new LiveCall(call, { fence: command.fence, approvals: "ask" }, { state, claim })
    yield* carrier.launch(live, runEntered(live, claim))
    return live
  })

  const run = Effect.fnUntraced(function*(command: DirectCommand) {
    const decided = yield* judge(command)
    const { conversationId, fence, turnId, workspace } = command
    const call: HostCall = {
      callId: yield* ids.mint("call"),
      runId: fence.runId,
      conversationId,
      turnId,
      tool: "bash",
      origin: "user",
      workspace,
      arguments: command.arguments
    }
    const live = yield* Effect.uninterruptible(begin(command, call, decided))
    return { callId: call.callId, settled: Deferred.await(live.settled) } satisfies AdmittedCall
  })

  return { run }
})
