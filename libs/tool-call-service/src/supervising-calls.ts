/**
 * Decides whether a call may begin: by policy, by a person, by the client of the Run.
 *
 * Owns: what a decision does to its call; that each is recorded before the call leaves its state.
 * Never owns: the decision (CallSupervision, whoever answers), running the call.
 * Limits: a policy that fails counts as `approval`.
 */
import {
  type ApprovalRequest,
  IdMinter,
  type InteractionRequest,
  type InteractionResolution,
  type Supervision,
  suspendedOn,
  type UnfinishedCall
} from "@steno/contracts"
import { Cause, Deferred, Effect, Option } from "effect"
import { keptRules } from "./answer-rules.ts"
import type { Answering } from "./answering-calls.ts"
import { cancelledBeforeStart, deniedBy } from "./call-rules.ts"
import { type CallJudgement, CallSupervision } from "./call-supervision.ts"
import type { LiveCall, LiveCalls, OpenQuestion } from "./live-calls.ts"
import { makeRowChanges } from "./row-changes.ts"
import type { SessionRules } from "./session-rules.ts"
import { type Ended, notBegun } from "./settling-calls.ts"

/** The call may run. `supervision`: of one that is still `supervising`, to be recorded with its next step. */
export interface Granted {
  readonly kind: "granted"
  readonly supervision?: Supervision
  readonly judgedPaths?: ReadonlyArray<string>
}

export type Verdict = Granted | { readonly kind: "ended"; readonly ended: Ended }

const ended = (value: Ended): Verdict => ({ kind: "ended", ended: value })

type Judgement = Omit<CallJudgement, "judgedPaths"> & Partial<Pick<CallJudgement, "judgedPaths">>

const notJudged: Judgement = {
  supervision: { decision: "approval", by: "policy", reason: "The permission policy failed." },
  reason: "The permission policy failed, so that nothing is known of this call.",
  segments: [],
  suggestedRules: []
}

/** A question counts as open once it is stored. */
export const openQuestion = (request: InteractionRequest): OpenQuestion => ({
  request,
  answered: Deferred.makeUnsafe<InteractionResolution>(),
  storing: 1
})

export const makeSupervising = Effect.fnUntraced(function*(
  lives: LiveCalls,
  { answering, sessionRules }: { readonly answering: Answering; readonly sessionRules: SessionRules }
) {
  const supervision = yield* CallSupervision
  const ids = yield* IdMinter
  const change = yield* makeRowChanges

  const judge = (live: LiveCall): Effect.Effect<Judgement> =>
    Effect.flatMap(sessionRules.of(live.fence, live.call.conversationId), (rules) =>
      supervision.judge(live.call, { sessionRules: rules })).pipe(
        Effect.catchDefect((defect) => Effect.as(Effect.logWarning("The permission policy failed", defect), notJudged))
      )

  const answerByClient = (live: LiveCall, decision: "allow" | "deny") =>
    Effect.flatMap(ids.mint("op"), (id) =>
      answering.answer(live.fence, {
        callId: live.call.callId,
        resolution: { id, value: { approval: { decision } }, by: "client-policy" }
      }))

  /** Undefined: stopped before anybody answered. */
  const awaitAnswer = Effect.fnUntraced(function*(live: LiveCall, question: OpenQuestion) {
    question.storing -= 1
    lives.tell(live.call.turnId)
    const answer = yield* live.unlessStopped(Deferred.await(question.answered))
    live.question = undefined
    return answer?.value
  })

  const keepRules = Effect.fnUntraced(function*(live: LiveCall, request: ApprovalRequest, resolution: InteractionResolution) {
    if (!("approval" in resolution.value)) return
    const { approval } = resolution.value
    const rules = keptRules(request, approval)
    const { scope } = approval
    if (rules.length === 0 || scope === undefined || scope === "session") return
    const kept = yield* Effect.exit(supervision.keepRules({ scope, workspace: live.call.workspace, rules }))
    if (kept._tag === "Failure") {
      const known = Option.getOrUndefined(Cause.findErrorOption(kept.cause))
      if (known === undefined) yield* Effect.logWarning("An always-allow rule was not saved", kept.cause)
      const why = known === undefined ? "." : `: ${known.explanation}`
      live.warnings.push({ code: "rule-not-saved", text: `The call was allowed once; the rule for further calls could not be saved${why}` })
    }
  })

  /** Until its files are free the call stays suspended, its answer on record: a Turn that is let go of keeps both. Undefined: stopped. */
  const awaitTurn = Effect.fnUntraced(function*(live: LiveCall) {
    const turn = live.turn ?? Effect.void
    const isFree = yield* Effect.raceFirst(Effect.as(turn, true), Effect.as(Effect.yieldNow, false))
    if (isFree) return { value: undefined }
    live.isBehind = true
    lives.tell(live.call.turnId)
    return yield* Effect.ensuring(live.unlessStopped(turn), Effect.sync(() => {
      live.isBehind = false
    }))
  })

  /** Asks, or goes on asking, whether the call may begin; the question is on record. */
  const awaitApproval = Effect.fnUntraced(function*(
    live: LiveCall,
    { judgement, question, recorded, request }: {
      readonly question: OpenQuestion
      readonly request: ApprovalRequest
      readonly recorded: Supervision | undefined
      /** Absent: another owner judged the call. */
      readonly judgement?: Judgement
    }
  ): Effect.fn.Return<Verdict, Effect.Error<ReturnType<typeof change>>> {
    if (live.approvals !== "ask" && !Deferred.isDoneUnsafe(question.answered)) yield* answerByClient(live, live.approvals)
    const resolution = yield* awaitAnswer(live, question)
    if (resolution === undefined || !("approval" in resolution.value)) return ended(notBegun(cancelledBeforeStart))
    const { decision, reason } = resolution.value.approval
    const by = resolution.by === "person" ? "user" : "client-policy"
    const decided: Supervision = { ...recorded, decision, by, ...(reason === undefined ? {} : { reason }) }
    if (decision === "deny") return ended(notBegun(deniedBy({ by, ...(reason === undefined ? {} : { reason }) }), decided))
    const now = judgement ?? (yield* live.unlessStopped(judge(live)))?.value
    if (now === undefined) return ended(notBegun(cancelledBeforeStart))
    if (now.supervision.decision === "deny") return ended(notBegun(deniedBy(now.supervision), now.supervision))
    yield* keepRules(live, request, resolution)
    if ((yield* awaitTurn(live)) === undefined) return ended(notBegun(cancelledBeforeStart))
    yield* change(live, { over: ["ready"], supervision: decided })
    return { kind: "granted", ...(now.judgedPaths === undefined ? {} : { judgedPaths: now.judgedPaths }) }
  })

  /** Of a call that is `supervising`. Fails with `CallNotSettled`. */
  const supervise = Effect.fnUntraced(function*(live: LiveCall): Effect.fn.Return<Verdict, Effect.Error<ReturnType<typeof change>>> {
    const judged = yield* live.unlessStopped(judge(live))
    if (judged === undefined) return ended(notBegun(cancelledBeforeStart))
    const { judgedPaths, supervision: decided, ...asked } = judged.value
    switch (decided.decision) {
      case "allow":
        return { kind: "granted", supervision: decided, ...(judgedPaths === undefined ? {} : { judgedPaths }) }
      case "deny":
        yield* change(live, { over: [], supervision: decided })
        return ended(notBegun(deniedBy({ ...decided, reason: asked.reason })))
      case "approval": {
        const request: ApprovalRequest = { kind: "approval", ...asked }
        const question = live.question = openQuestion(request)
        yield* change(live, { over: ["awaiting_approval"], supervision: decided, interaction: request })
        return yield* awaitApproval(live, { question, request, recorded: decided, judgement: judged.value })
      }
    }
  })

  /** Of a call that another owner, or this one before it let go, asked a person about. Fails with `CallNotSettled`. */
  const superviseOn = Effect.fnUntraced(function*(live: LiveCall, row: UnfinishedCall): Effect.fn.Return<Verdict, Effect.Error<ReturnType<typeof change>>> {
    const request = suspendedOn(row)?.request
    const { question } = live
    if (question === undefined || request?.kind !== "approval") return ended(notBegun(cancelledBeforeStart))
    return yield* awaitApproval(live, { question, request, recorded: row.supervision })
  })

  return { awaitAnswer, supervise, superviseOn }
})
export type Supervising = Effect.Success<ReturnType<typeof makeSupervising>>
