/**
 * Checks and judges calls: arguments by tool-catalog, decisions by permission-policy.
 *
 * Owns: what of a decision is recorded, which paths were judged, what counts as a Session's own files.
 * Never owns: which arguments fit, what a rule means.
 * Limits: paths whose way cannot be looked at are not among the judged ones; the tool then says what is wrong with them.
 */
import { HomeFolder } from "@steno/application"
import { type Supervision } from "@steno/contracts"
import { PermissionPolicy, type PolicyDecision, PolicyFiles } from "@steno/permission-policy"
import {
  type CallJudgement, CallSupervision, type CheckedCall as CheckAnswer, type HostCall, PolicyUnusable, RulesNotKept
} from "@steno/tool-call-service"
import { type CheckedCall, checkCall, subjectsOf, toolCatalog } from "@steno/tool-catalog"
import { Effect, Layer, Result } from "effect"
import { join } from "node:path"

const supervisionOf = ({ decision, layer, policyDigest, reason, rule, segment }: PolicyDecision): Supervision => ({
  decision,
  by: "policy",
  reason,
  ...(rule === undefined ? {} : { rule }),
  ...(segment === undefined ? {} : { segment }),
  layer,
  policyDigest
})

const answerOf = (checked: ReturnType<typeof checkCall>): CheckAnswer =>
  Result.isSuccess(checked)
    ? { kind: "fits", replaySafe: toolCatalog[checked.success.tool].replaySafe }
    : { kind: "refused", reason: { code: checked.failure.code, text: checked.failure.message } }

/** Resolved; the folder that a command runs in is one of them. */
const judgedPathsOf = (call: CheckedCall, workspace: string): Effect.Effect<ReadonlyArray<string>> =>
  subjectsOf(call, workspace).pipe(
    Effect.map(({ command, paths }) => [...paths.map(({ path }) => path), ...(command === undefined ? [] : [command.cwd])]),
    Effect.orElseSucceed(() => [])
  )

/** Only calls whose arguments fit are judged. */
const fitting = ({ arguments: sent, tool }: HostCall): Effect.Effect<CheckedCall> => Effect.orDie(Effect.fromResult(checkCall(tool, sent)))

const typedByUser: Supervision = { decision: "allow", by: "user" }

export const callSupervisionLayer = Layer.effect(
  CallSupervision,
  Effect.gen(function*() {
    const home = yield* HomeFolder
    const policy = yield* PermissionPolicy
    const files = yield* PolicyFiles

    const judge = Effect.fn("CallSupervision.judge")(function*(
      call: HostCall,
      { sessionRules }: Parameters<typeof CallSupervision.Service.judge>[1]
    ): Effect.fn.Return<CallJudgement> {
      const checked = yield* fitting(call)
      const judgedPaths = yield* judgedPathsOf(checked, call.workspace)
      const decision = yield* policy.judge({
        tool: call.tool,
        risk: toolCatalog[checked.tool].risk,
        arguments: call.arguments,
        origin: call.origin === "client" ? "client" : "model",
        workspace: call.workspace,
        ownFiles: [join(home.path, "data", "conversations", call.conversationId)],
        sessionRules
      })
      const { reason, segments, suggestedRules } = decision
      return { supervision: supervisionOf(decision), reason, segments, suggestedRules, judgedPaths }
    })

    return CallSupervision.of({
      check: ({ arguments: sent, tool }) => Effect.sync(() => answerOf(checkCall(tool, sent))),
      judge,
      judgeDirectCommand: Effect.fn("CallSupervision.judgeDirectCommand")(function*(command) {
        const decision = yield* policy.judgeDirectCommand(command)
        if (decision.decision === "allow") return typedByUser
        return decision.fault === undefined ? supervisionOf(decision) : yield* new PolicyUnusable(decision.fault)
      }),
      keepRules: Effect.fn("CallSupervision.keepRules")(function*({ rules, scope, workspace }) {
        yield* files.addRules(scope, workspace, rules)
      }, Effect.mapError(({ message }) => new RulesNotKept({ explanation: message })))
    })
  })
)
