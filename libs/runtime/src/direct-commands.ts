/**
 * What the calls of a Run need where it has direct commands only: nothing else is known or answered.
 *
 * Limits: a direct command is allowed because a person typed it; its rules are not looked at.
 */
import { CallHandlers, CallSupervision, RulesNotKept } from "@steno/tool-call-service"
import { Effect, Layer } from "effect"

const unknownTool = { code: "unknown-tool", text: "Only direct commands are run." }

export const directCommandsLayer = Layer.merge(
  Layer.succeed(CallSupervision, {
    check: () => Effect.succeed({ kind: "refused", reason: unknownTool }),
    judge: () => Effect.die(new Error("A call that is refused is not judged")),
    judgeDirectCommand: () => Effect.succeed({ decision: "allow", by: "user" }),
    keepRules: () => Effect.fail(new RulesNotKept({ explanation: "No rule is suggested for a direct command." }))
  }),
  Layer.succeed(CallHandlers, { find: () => undefined })
)
