import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { CallSupervision, PolicyUnusable } from "./call-supervision.ts"
import { firstOwner, recordOf, temporaryDatabase } from "./testing/owned-run.ts"
import { ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"

type Judge = CallSupervision["Service"]["judgeDirectCommand"]

/** A Run whose direct commands are judged so. */
const judged = Effect.fnUntraced(function*(judgeDirectCommand: Judge) {
  const asked: Array<unknown> = []
  class JudgingPorts extends ControlledPorts {
    override get layer() {
      const judging = Layer.effect(CallSupervision, Effect.map(CallSupervision, (others) => ({
        ...others,
        judgeDirectCommand: (command: Parameters<Judge>[0]) => {
          asked.push(command)
          return judgeDirectCommand(command)
        }
      })))
      return Layer.provideMerge(judging, super.layer)
    }
  }
  const ports = new JudgingPorts()
  const owner = yield* firstOwner({ file: yield* temporaryDatabase, ports })
  const run = owner.calls.runDirectCommand({ ...owner.turn, arguments: { command: "make", cwd: "/project/lib" } })
  return { asked, owner, ports, run }
})

const name = "undefined"

describe("a direct command", () => {
  it.live("is judged in its folder and Workspace, and runs as allowed by the user", () =>
    Effect.gen(function*() {
      const { asked, ports, run } = yield* judged(() => Effect.succeed({ decision: "allow", by: "policy" }))
      const call = yield* run
      yield* ports.end(name, resultEnd("value"))
      const response = yield* call.settled
      assert.deepStrictEqual(response.supervision, { decision: "allow", by: "user" })
      assert.deepStrictEqual(asked, [{ command: "make", cwd: "/project/lib", workspace: "/project" }])
    }).pipe(Effect.scoped))

  it.live("that a rule denies is on record, settles denied and never starts", () =>
    Effect.gen(function*() {
      const denied = { decision: "deny", by: "policy", reason: "Never.", layer: "user" } as const
      const { owner, ports, run } = yield* judged(() => Effect.succeed(denied))
      const response = yield* (yield* run).settled
      assert.deepStrictEqual([response.outcome, response.reason, response.supervision], [
        "denied", { code: "denied-by-policy", text: "Never." }, denied
      ])
      assert.deepStrictEqual((yield* recordOf(owner)).events.map(({ type }) => type), ["turn-admitted", "tool-call-started", "tool-call-response"])
      assert.deepStrictEqual(ports.ran, [])
    }).pipe(Effect.scoped))

  for (
    const [title, judge, reason] of [
      ["a policy file is invalid", () => new PolicyUnusable({ path: "/p", position: "rules[0]", explanation: "no" }), "PolicyUnusable"],
      ["the policy fails", () => Effect.die(new Error("broken")), "CallNotJudged"]
    ] as const
  ) {
    it.live(`is refused and not created when ${title}`, () =>
      Effect.gen(function*() {
        const { owner, ports, run } = yield* judged(judge)
        assert.strictEqual((yield* Effect.flip(run)).reason._tag, reason)
        assert.deepStrictEqual((yield* recordOf(owner)).events.map(({ type }) => type), ["turn-admitted"])
        assert.deepStrictEqual(ports.ran, [])
      }).pipe(Effect.provide(Logger.layer([])), Effect.scoped))
  }
})
