import { assert, describe, it } from "@effect/vitest"
import { type ApprovalAnswer, IdMinter, type InteractionAnswer, OperationId } from "@steno/contracts"
import { Deferred, Effect, Layer, Logger } from "effect"
import { type EndedCall, type EndedResult, ResultPreparation } from "./result-preparation.ts"
import { askedRule, ControlledPorts, resultEnd } from "./testing/controlled-ports.ts"
import { type AskedCall, asking, callAt, firstOwner, type Owner, type OwnerOptions, recordOf, rowIn, temporaryDatabase } from "./testing/owned-run.ts"
import { plainPreparation } from "./testing/plain-ports.ts"

const owning = Effect.fnUntraced(function*(options: Partial<OwnerOptions> = {}) {
  const ports = options.ports ?? new ControlledPorts()
  const owner = yield* firstOwner({ file: yield* temporaryDatabase, ...options, ports })
  const propose = (...calls: ReadonlyArray<AskedCall>) => owner.calls.propose({ ...owner.turn, proposal: asking(calls.map(({ name }) => name).join(), ...calls) })
  return { ports, owner, propose }
})

const answer = (owner: Owner, callId: ReturnType<typeof callAt>, value: InteractionAnswer, id = "op-1") =>
  owner.calls.answer(owner.turn.fence, { callId, resolution: { id: OperationId.make(id), value, by: "person" } })

const approve = (approval: Partial<ApprovalAnswer["approval"]> = {}): ApprovalAnswer => ({ approval: { decision: "allow", ...approval } })
const red = { answers: { colour: { options: ["red"] } } }

/** A call that awaits an approval, or with `ask_user` an answer. */
const awaiting = Effect.fnUntraced(function*(call: AskedCall, options: Partial<OwnerOptions> = {}) {
  const owned = yield* owning(options)
  const step = yield* owned.propose(call)
  const callId = callAt(step, 0)
  yield* owned.owner.calls.onlyAwaits(owned.owner.turn.turnId)
  return { ...owned, step, callId }
})

describe("an approval", () => {
  it.live("that a person gives lets the call run, with who decided on record", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "approval" })
      assert.deepStrictEqual(ports.ran, [])
      assert.deepStrictEqual(yield* answer(owner, callId, approve({ reason: "Go on." })), { decision: "recorded" })
      yield* ports.started("a")
      assert.strictEqual((yield* recordOf(owner)).state, "running")
      yield* ports.end("a", resultEnd("value"))
      const [response] = yield* step.settled
      assert.deepStrictEqual(response?.supervision, { decision: "allow", by: "user", reason: "Go on." })
      assert.strictEqual(response?.interactions?.[0]?.resolution?.id, "op-1")
      assert.deepStrictEqual(ports.judged, ["a"])
    }).pipe(Effect.scoped))

  it.live("that a person refuses settles the call denied, and says who did", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "approval" })
      yield* answer(owner, callId, { approval: { decision: "deny", reason: "Not now." } })
      const [response] = yield* step.settled
      assert.deepStrictEqual([response?.outcome, response?.reason], ["denied", { code: "denied-by-person", text: "Not now." }])
      assert.deepStrictEqual(response?.supervision, { decision: "deny", by: "user", reason: "Not now." })
      assert.deepStrictEqual(ports.ran, [])
    }).pipe(Effect.scoped))

  it.live("is asked for where the policy fails", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "throw" })
      const row = yield* rowIn(owner, callId, "awaiting_approval")
      assert.strictEqual(row.supervision?.decision, "approval")
      yield* answer(owner, callId, approve())
      yield* ports.end("a", resultEnd("value"))
      assert.strictEqual((yield* step.settled)[0]?.outcome, "completed")
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped))

  for (const [approvals, outcome] of [["deny", "denied"], ["allow", "completed"]] as const) {
    it.live(`is given by the client's policy at once, stored as its own: ${approvals}`, () =>
      Effect.gen(function*() {
        const { ports, propose } = yield* owning({ approvals })
        const step = yield* propose({ name: "a", verdict: "approval" })
        if (approvals === "allow") yield* ports.end("a", resultEnd("value"))
        const [response] = yield* step.settled
        assert.strictEqual(response?.outcome, outcome)
        const resolution = response?.interactions?.[0]?.resolution
        assert.strictEqual(resolution?.by, "client-policy")
        assert.match(resolution?.id ?? "", /^op_/)
        assert.deepStrictEqual(response?.supervision, { decision: approvals, by: "client-policy" })
      }).pipe(Effect.scoped))
  }

  it.live("of a question is not given by the client's policy", () =>
    Effect.gen(function*() {
      for (const approvals of ["deny", "allow"] as const) {
        const { callId, owner } = yield* awaiting({ name: "a", tool: "ask_user" }, { approvals })
        yield* rowIn(owner, callId, "awaiting_input")
      }
    }).pipe(Effect.scoped))
})

describe("an always-allow rule", () => {
  it.live("with scope session counts for the next call of the Session, and is handed to the policy", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, propose } = yield* awaiting({ name: "a", verdict: "approval" })
      yield* answer(owner, callId, approve({ scope: "session" }))
      yield* ports.end("a", resultEnd("value"))
      const step = yield* propose({ name: "b" })
      yield* ports.end("b", resultEnd("value"))
      yield* step.settled
      assert.deepStrictEqual(ports.sessionRules, [[], [askedRule]])
      assert.deepStrictEqual(ports.kept, [])
    }).pipe(Effect.scoped))

  it.live("is the exact one unless others are named", () =>
    Effect.gen(function*() {
      for (const [rules, kept] of [[undefined, ["make test"]], [[1], ["make *"]], [[0, 1], ["make test", "make *"]]] as const) {
        const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "approval" })
        yield* answer(owner, callId, approve({ scope: "workspace", ...(rules === undefined ? {} : { rules }) }))
        yield* ports.end("a", resultEnd("value"))
        yield* step.settled
        assert.deepStrictEqual(ports.kept.flat().map(({ command }) => command), [...kept])
      }
    }).pipe(Effect.scoped))

  it.live("that cannot be saved allows the call once, with a warning that says why", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "approval" })
      ports.keepsRules = false
      yield* answer(owner, callId, approve({ scope: "user" }))
      yield* ports.end("a", resultEnd("value"))
      const [response] = yield* step.settled
      assert.deepStrictEqual([response?.outcome, response?.warnings.map(({ code }) => code)], ["completed", ["rule-not-saved"]])
      assert.include(response?.warnings[0]?.text, ": The file is read-only.")
    }).pipe(Effect.scoped))

  it.live("where none was suggested is refused, and nothing is written", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "throw" })
      assert.deepStrictEqual(yield* answer(owner, callId, approve({ scope: "session" })), {
        decision: "no-suggested-rule",
        explanation: "It suggests no rule that could be kept; it can be allowed this once."
      })
      const row = yield* rowIn(owner, callId, "awaiting_approval")
      assert.notProperty(row.interactions?.[0], "resolution")
      assert.deepStrictEqual(yield* answer(owner, callId, approve()), { decision: "recorded" })
      yield* ports.end("a", resultEnd("value"))
      yield* step.settled
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped))
})

describe("a question", () => {
  it.live("that is answered settles the call with what its handler makes of the answer", () =>
    Effect.gen(function*() {
      const { callId, owner, step } = yield* awaiting({ name: "a", tool: "ask_user" })
      const row = yield* rowIn(owner, callId, "awaiting_input")
      assert.notProperty(row, "claim")
      yield* answer(owner, callId, red)
      const [response] = yield* step.settled
      assert.strictEqual(response?.outcome, "completed")
      assert.deepStrictEqual(response?.interactions?.map(({ request, resolution }) => [request.kind, resolution?.value]), [["user-input", red]])
    }).pipe(Effect.scoped))

  it.live("that is dismissed completes the call", () =>
    Effect.gen(function*() {
      const { callId, owner, step } = yield* awaiting({ name: "a", tool: "ask_user" })
      yield* answer(owner, callId, { dismissed: true })
      assert.strictEqual((yield* step.settled)[0]?.outcome, "completed")
    }).pipe(Effect.scoped))

  it.live("whose answer its handler cannot take makes the call failed", () =>
    Effect.gen(function*() {
      const { callId, owner, step } = yield* awaiting({ name: "a", tool: "broken_later" })
      yield* answer(owner, callId, red)
      const [response] = yield* step.settled
      assert.deepStrictEqual([response?.outcome, response?.reason?.code], ["failed", "handler-failed"])
    }).pipe(Effect.provide(Logger.layer([])), Effect.scoped))

  it.live("may follow an approval; both stand in the response, in order", () =>
    Effect.gen(function*() {
      const { callId, owner, step } = yield* awaiting({ name: "a", tool: "ask_user", verdict: "approval" })
      yield* answer(owner, callId, approve(), "op-1")
      yield* rowIn(owner, callId, "awaiting_input")
      assert.deepStrictEqual(yield* answer(owner, callId, approve(), "op-1"), { decision: "repeated" })
      yield* owner.calls.onlyAwaits(owner.turn.turnId)
      yield* answer(owner, callId, red, "op-2")
      const [response] = yield* step.settled
      assert.deepStrictEqual(response?.interactions?.map(({ resolution }) => String(resolution?.id)), ["op-1", "op-2"])
    }).pipe(Effect.scoped))
})

describe("an answer", () => {
  it.live("that is given twice has one effect; the second time the first answer is told again", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "approval" })
      const both = yield* Effect.all([answer(owner, callId, approve()), answer(owner, callId, approve())], { concurrency: 2 })
      assert.sameMembers(both.map(({ decision }) => decision), ["recorded", "repeated"])
      yield* ports.end("a", resultEnd("value"))
      const [response] = yield* step.settled
      assert.deepStrictEqual(yield* answer(owner, callId, approve()), { decision: "repeated", ...(response && { response }) })
      assert.deepStrictEqual(ports.ran, ["a"])
    }).pipe(Effect.scoped))

  it.live("with another id or another value than the stored one is stale, before and after the call is settled", () =>
    Effect.gen(function*() {
      const { callId, owner, ports, step } = yield* awaiting({ name: "a", verdict: "approval" })
      yield* answer(owner, callId, approve())
      const others = Effect.all([
        answer(owner, callId, approve(), "op-2"),
        answer(owner, callId, { approval: { decision: "deny" } }, "op-1")
      ])
      assert.deepStrictEqual(yield* others, [{ decision: "stale" }, { decision: "stale" }])
      yield* ports.end("a", resultEnd("value"))
      yield* step.settled
      assert.deepStrictEqual(yield* others, [{ decision: "stale" }, { decision: "stale" }])
    }).pipe(Effect.scoped))

  it.live("of two persons at once counts once, and the other one is told so", () =>
    Effect.gen(function*() {
      const { callId, owner, step } = yield* awaiting({ name: "a", verdict: "approval" })
      const deny: InteractionAnswer = { approval: { decision: "deny" } }
      const both = yield* Effect.all([answer(owner, callId, deny, "op-1"), answer(owner, callId, deny, "op-2")], { concurrency: 2 })
      assert.sameMembers(both.map(({ decision }) => decision), ["recorded", "stale"])
      assert.strictEqual((yield* step.settled)[0]?.interactions?.length, 1)
    }).pipe(Effect.scoped))

  it.live("to a call that is not known, or of another Run, is told so", () =>
    Effect.gen(function*() {
      const ids = yield* IdMinter
      const { owner } = yield* owning()
      const other = yield* awaiting({ name: "a", verdict: "approval" })
      assert.deepStrictEqual(yield* answer(owner, yield* ids.mint("call"), approve()), { decision: "call-not-found" })
      assert.deepStrictEqual(yield* answer(owner, other.callId, approve()), { decision: "call-not-found" })
    }).pipe(Effect.scoped))

  it.live("to a call that awaits nobody is acknowledged without effect", () =>
    Effect.gen(function*() {
      const { owner, ports, propose } = yield* owning()
      const step = yield* propose({ name: "a" })
      yield* ports.started("a")
      assert.deepStrictEqual(yield* answer(owner, callAt(step, 0), approve()), { decision: "not-suspended" })
      assert.notProperty(yield* rowIn(owner, callAt(step, 0), "running"), "interactions")
    }).pipe(Effect.scoped))

  const choices = `its options are "red" (Red), "blue" (Blue).`
  const mismatches: ReadonlyArray<readonly [string, AskedCall, InteractionAnswer, string]> = [
    ["an answer to a question, for an approval", { name: "a", verdict: "approval" }, red, "It asks for approval, and is allowed or denied."],
    [
      "an approval, for a question",
      { name: "a", tool: "ask_user" },
      approve(),
      "It asks a question, and is neither allowed nor denied: it is answered or dismissed."
    ],
    [
      "a scope with a denial",
      { name: "a", verdict: "approval" },
      { approval: { decision: "deny", scope: "session" } },
      "A rule is kept only where a call is allowed."
    ],
    [
      "a rule that was not suggested",
      { name: "a", verdict: "approval" },
      approve({ scope: "session", rules: [2] }),
      "It suggests no rule 3; it suggests rules 1 to 2."
    ],
    ["rules without a scope", { name: "a", verdict: "approval" }, approve({ rules: [0] }), "Rules are named, but not where they are kept."],
    [
      "no question answered",
      { name: "a", tool: "ask_user" },
      { answers: {} },
      `Question "colour" is not answered; all questions of a call are answered at once.`
    ],
    [
      "another question",
      { name: "a", tool: "ask_user" },
      { answers: { size: { options: ["red"] } } },
      `It asks no question "size"; it asks "colour".`
    ],
    [
      "an option that is not offered",
      { name: "a", tool: "ask_user" },
      { answers: { colour: { options: ["green"] } } },
      `"green" names no single option of question "colour"; ${choices}`
    ],
    [
      "an option that is chosen twice",
      { name: "a", tool: "ask_user" },
      { answers: { colour: { options: ["red", "red"] } } },
      `Option "red" of question "colour" is chosen more than once.`
    ],
    [
      "two options where one may be chosen",
      { name: "a", tool: "ask_user" },
      { answers: { colour: { options: ["red", "blue"] } } },
      `Of the options of question "colour" only one may be chosen; ${choices}`
    ],
    [
      "words where none are allowed",
      { name: "a", tool: "ask_user" },
      { answers: { colour: { options: ["red"], text: "dark" } } },
      `To question "colour" no words of one's own may be said; ${choices}`
    ],
    ["nothing chosen", { name: "a", tool: "ask_user" }, { answers: { colour: { options: [] } } }, `The answer to question "colour" is blank; ${choices}`]
  ]
  for (const [title, call, value, explanation] of mismatches) {
    it.live(`that does not fit is refused with what would, and the call goes on waiting: ${title}`, () =>
      Effect.gen(function*() {
        const { callId, owner } = yield* awaiting(call)
        assert.deepStrictEqual(yield* answer(owner, callId, value), { decision: "shape-mismatch", explanation })
        const row = yield* owner.ledger.unfinishedCall(callId)
        assert.notProperty(row?.interactions?.at(-1), "resolution")
        yield* owner.calls.onlyAwaits(owner.turn.turnId)
      }).pipe(Effect.scoped))
  }

  it.live("that is recorded while its call is being cancelled stands in the response", () =>
    Effect.gen(function*() {
      const preparing = Deferred.makeUnsafe<void>()
      const answered = Deferred.makeUnsafe<void>()
      class SlowPorts extends ControlledPorts {
        override get layer() {
          const slow = Effect.map(ResultPreparation, ({ prepare }) => ({
            prepare: (call: EndedCall, result: EndedResult) =>
              Effect.andThen(Deferred.succeed(preparing, undefined), Effect.andThen(Deferred.await(answered), prepare(call, result)))
          }))
          return Layer.merge(super.layer, Layer.provide(Layer.effect(ResultPreparation, slow), plainPreparation))
        }
      }
      const { callId, owner, step } = yield* awaiting({ name: "a", verdict: "approval" }, { ports: new SlowPorts() })
      yield* owner.calls.cancel(callId, { force: false })
      yield* Deferred.await(preparing)
      assert.deepStrictEqual(yield* answer(owner, callId, approve()), { decision: "recorded" })
      yield* Deferred.succeed(answered, undefined)
      yield* step.settled
      const [response] = (yield* recordOf(owner)).responses
      assert.strictEqual(response?.outcome, "cancelled")
      const again = yield* answer(owner, callId, approve())
      assert.deepStrictEqual([again.decision, again.response], ["repeated", response])
    }).pipe(Effect.scoped))

  it.live("that the ledger could not say was stored is stored once, and acted on; its rule counts", () =>
    Effect.gen(function*() {
      let left = 1
      const failpoint = (point: string) => {
        if (point === "recordResolution:after-commit" && left-- > 0) throw Object.assign(new Error(), { code: "SQLITE_IOERR_FSYNC" })
      }
      const { callId, owner, ports, propose, step } = yield* awaiting({ name: "a", verdict: "approval" }, { failpoint })
      assert.deepStrictEqual(yield* answer(owner, callId, approve({ scope: "session" })), { decision: "repeated" })
      yield* ports.end("a", resultEnd("value"))
      assert.strictEqual((yield* step.settled)[0]?.outcome, "completed")
      yield* (yield* propose({ name: "b", verdict: "deny" })).settled
      assert.deepStrictEqual(ports.sessionRules.at(-1), [askedRule])
    }).pipe(Effect.scoped))
})
