import { expect, it } from "@effect/vitest"
import { CallId } from "@steno/contracts"
import type { CapabilityName, ExecutionAnswer, ExecutionEnd, Harness, PrepareOptions, TurnHandle } from "@steno/harness-seam"
import { makeRecordingTurnHost, prepareOptions, type RecordingAnswers, turnRequest } from "@steno/harness-seam/testing"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe } from "vitest"
import { acpAgents, customAgent } from "./acp-presets.ts"
import { acpProfile } from "./acp-profile.ts"
import type { AgentScenario } from "./testing/agent-scenarios.ts"
import { scriptedSubject, type ScriptedSubject } from "./testing/scripted-subject.ts"

const prepare = (harness: Harness, options: Partial<PrepareOptions> = {}) =>
  Effect.acquireRelease(harness.prepare(prepareOptions(options)), (ready) => ready.close)

/** One Turn of a scenario, to its result. */
const play = Effect.fnUntraced(function*(
  scenario: AgentScenario,
  answers: RecordingAnswers = {},
  meanwhile: (handle: TurnHandle) => Effect.Effect<unknown> = () => Effect.void
) {
  const subject = yield* scriptedSubject(scenario)
  const prepared = yield* prepare(subject.harness)
  const host = makeRecordingTurnHost(answers)
  const handle = yield* prepared.startTurn(turnRequest(), host)
  const [result] = yield* Effect.all([host.follow(handle), meanwhile(handle)], { concurrency: "unbounded" })
  return { subject, prepared, host, result }
})

const answered = ({ entries }: ScriptedSubject) => entries().flatMap((entry) => ("answered" in entry ? [entry.answered] : []))

const said = (host: ReturnType<typeof makeRecordingTurnHost>) =>
  host.events().flatMap((event) => (event.type === "assistant-content" ? [event.content] : []))

const executed = (end: ExecutionEnd | Effect.Effect<ExecutionEnd>, text = "", cancel: Effect.Effect<void> = Effect.void) =>
  Effect.succeed<ExecutionAnswer>({
    kind: "started",
    callId: CallId.make("call_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    output: () => ({ text }),
    cancel,
    settled: Effect.isEffect(end) ? end : Effect.succeed(end)
  })

describe("an agent that is no harness says why and leaves no process", () => {
  for (const [scenario, code] of [
    ["login", "auth-required"],
    ["old-protocol", "version-unsupported"],
    ["silent-exit", "probe-failed"],
    ["mute-start", "probe-failed"]
  ] as const) {
    it.live(`${scenario}: ${code}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { harness, running } = yield* scriptedSubject(scenario)
        const { reason } = yield* Effect.flip(harness.prepare(prepareOptions()))
        expect(reason.code).toBe(code)
        expect(reason.remedy).not.toBe("")
        expect(running()).toBe(0)
      })))
  }

  it.live("no such program: not-found; no program: not-executable", () =>
    Effect.scoped(Effect.gen(function*() {
      for (const [program, code] of [["no-such-agent", "not-found"], ["/", "not-executable"]] as const) {
        const { harness } = yield* scriptedSubject("text", { program })
        expect((yield* Effect.flip(harness.prepare(prepareOptions()))).reason.code).toBe(code)
      }
    })))

  it.live("a Workspace that is not there is said to be that", () =>
    Effect.scoped(Effect.gen(function*() {
      const { harness } = yield* scriptedSubject("text")
      const { reason } = yield* Effect.flip(harness.prepare(prepareOptions({ workspace: "/no/such/folder" })))
      expect(reason).toMatchObject({ code: "probe-failed", explanation: "The folder /no/such/folder does not exist." })
    })))

  it.live("preparing that is interrupted leaves nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { entry, harness, running } = yield* scriptedSubject("text")
      const preparing = yield* Effect.forkChild(harness.prepare(prepareOptions()))
      yield* entry((one) => "pid" in one)
      yield* Fiber.interrupt(preparing)
      expect(running()).toBe(0)
    })))
})

describe("what an agent says is read as it is", () => {
  it.live("a separator of lines inside a text is content", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host } = yield* play("wide-text")
      expect(said(host)).toEqual(["a\u2028b \u{1F600}"])
    })))

  it.live("bytes that are not UTF-8 are replaced and noted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, prepared } = yield* play("not-utf8")
      expect(said(host)).toEqual(["\uFFFD"])
      expect((yield* prepared.close).diagnostics).toContainEqual(expect.objectContaining({ code: "invalid-utf8" }))
    })))

  it.live("text before its first message is noted and changes nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, prepared } = yield* play("preamble")
      expect(said(host)).toEqual(["Hello"])
      expect((yield* prepared.close).diagnostics).toContainEqual(expect.objectContaining({ code: "preamble" }))
    })))

  it.live("a plan is displayable work, with what is done and what is not", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host } = yield* play("plan")
      expect(host.events().flatMap((event) => (event.type === "activity" ? [event.text] : []))).toEqual([
        "- [x] Look\n- [ ] Leap"
      ])
    })))
})

describe("what an agent asks for is answered", () => {
  it.live("a method that nobody knows is refused, and the Turn goes on", () =>
    Effect.scoped(Effect.gen(function*() {
      const { result, subject } = yield* play("unknown-request")
      expect(answered(subject)).toEqual([-32601])
      expect(result.kind).toBe("completed")
    })))

  it.live("a form that it wants filled in is declined, and told", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, subject } = yield* play("elicitation")
      expect(answered(subject)).toEqual([{ action: "decline" }])
      expect(host.events()).toContainEqual({ type: "elicitation-declined", message: "Your name?" })
    })))

  it.live("a terminal runs as one executed call, whose exit it is told", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, subject } = yield* play("execute")
      expect(host.journal.flatMap((entry) => (entry.kind === "execute" ? [entry.input] : []))).toEqual([{ command: "make" }])
      expect(answered(subject)).toEqual([{ exitCode: 0, signal: null }])
    })))

  it.live("files are read and written as one executed call each, and the agent's reports of them are those calls", () =>
    Effect.scoped(Effect.gen(function*() {
      const value = { kind: "text", content: "two\n", firstLine: 2, totalLines: 2 }
      const { host, subject } = yield* play("client-files", {
        execute: (_, input) => executed(JSON.stringify(input).includes("/none") ? { outcome: "failed", reason: "No such file" } : { outcome: "completed", value })
      })
      expect(answered(subject)).toEqual([{ content: "two\n" }, -32603, {}])
      expect(host.journal.flatMap((entry) => (entry.kind === "execute" ? [[entry.tool, entry.input, entry.itemId]] : []))).toEqual([
        ["read", { path: "/notes", offset: 2, limit: 2_000 }, "item-1"],
        ["read", { path: "/none", offset: 1, limit: 2_000 }, undefined],
        ["write", { path: "/made", content: "made\n" }, "item-2"]
      ])
      expect(host.events().filter(({ type }) => type.startsWith("tool-call"))).toEqual([])
    })))

  it.live("a terminal shows its output while it runs, is killed when the agent asks for it, and ended with its release", () =>
    Effect.scoped(Effect.gen(function*() {
      const cancels: Array<string> = []
      const { subject } = yield* play("client-terminals", {
        execute: (_, input) => {
          const end = Deferred.makeUnsafe<ExecutionEnd>()
          const cancel = Effect.sync(() => {
            cancels.push(JSON.stringify(input))
            Deferred.doneUnsafe(end, Effect.succeed({ outcome: "cancelled", signal: "SIGTERM" }))
          })
          return executed(Deferred.await(end), "begun\n", cancel)
        }
      })
      expect(answered(subject)).toEqual([
        { output: "begun\n", truncated: false },
        { exitCode: null, signal: "SIGTERM" },
        { output: "begun\n", truncated: false, exitStatus: { exitCode: null, signal: "SIGTERM" } },
        -32602
      ])
      expect(cancels).toEqual(['{"command":"sleep 600"}', '{"command":"sleep 601"}'])
    })))

  it.live("a permission names its call, which is told first; refused, the call is denied", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host } = yield* play("refused-call", {
        request: ({ decisions }) =>
          Effect.succeed({
            kind: "answered",
            decision: decisions.find(({ kind }) => kind === "deny")?.id ?? "none",
            by: "person"
          })
      })
      const order = host.journal.flatMap((entry): ReadonlyArray<unknown> => {
        if (entry.kind === "request") return [["request", entry.request.itemId, entry.request.description]]
        if (entry.kind !== "event" || !("call" in entry.event)) return []
        return [[entry.event.type, entry.event.call.itemId, "ending" in entry.event ? entry.event.ending.outcome : ""]]
      })
      expect(order).toEqual([
        ["tool-call-started", "item-1", ""],
        ["request", "item-1", "touch it"],
        ["tool-call-ended", "item-1", "denied"]
      ])
    })))
})

describe("the end of a Turn", () => {
  it.live("of an agent that stopped for another reason is a failure with that reason", () =>
    Effect.scoped(Effect.gen(function*() {
      const { result } = yield* play("limit")
      expect(result).toMatchObject({ kind: "failed", failure: { reason: "native", text: "The agent stopped: max_tokens" } })
    })))

  it.live("that was interrupted leaves an agent that plays the next one", () =>
    Effect.scoped(Effect.gen(function*() {
      const running = (handle: TurnHandle) =>
        Effect.callback<void>((resume) => {
          const stop = handle.subscribe(({ type }) => {
            if (type === "tool-call-started") resume(Effect.void)
          })
          return Effect.sync(stop)
        })
      const interrupt = (handle: TurnHandle) => Effect.andThen(running(handle), handle.interrupt)
      const { prepared, result } = yield* play("interrupt", {}, interrupt)
      expect(result).toEqual({ kind: "interrupted", confirmedBy: "active-turn", availability: "open" })
      const host = makeRecordingTurnHost()
      const handle = yield* prepared.startTurn(turnRequest(), host)
      const [second] = yield* Effect.all([host.follow(handle), interrupt(handle)], { concurrency: "unbounded" })
      expect(second.kind).toBe("interrupted")
    })))

  it.live("with a server for Agent calls is that of its program: its token ends with the Turn", () =>
    Effect.scoped(Effect.gen(function*() {
      const { harness } = yield* scriptedSubject("text")
      const prepared = yield* prepare(harness, { agentCallServer: { command: "node", arguments: ["server"], environment: {} } })
      const host = makeRecordingTurnHost()
      expect((yield* host.follow(yield* prepared.startTurn(turnRequest(), host))).kind).toBe("completed")
      expect(Exit.hasDies(yield* Effect.exit(prepared.startTurn(turnRequest(), host)))).toBe(true)
    })))

  it.live("of an agent that closes its output and lives leaves the Turn lost, and ends the agent", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, result, subject } = yield* play("mute")
      expect(result).toMatchObject({ kind: "lost", unknown: "completion", failure: { reason: "protocol" }, availability: "detached" })
      expect(said(host)).toEqual(["half"])
      expect(subject.running()).toBe(0)
    })))

  it.live("that is interrupted while its session is loaded, or while it is admitted, comes without a prompt", () =>
    Effect.scoped(Effect.gen(function*() {
      const { entries, harness } = yield* scriptedSubject("silent-load")
      const prepared = yield* prepare(harness)
      const loading = yield* prepared.startTurn(turnRequest({ coordinate: "native-2" }), makeRecordingTurnHost())
      expect(yield* loading.interrupt).toEqual({ kind: "accepted" })
      expect((yield* loading.result).kind).toBe("not-started")
      const interrupted = Deferred.makeUnsafe<void>()
      const host = makeRecordingTurnHost({ admit: Effect.as(Deferred.await(interrupted), { kind: "admitted" }) })
      const admitting = yield* prepared.startTurn(turnRequest(), host)
      expect(yield* admitting.interrupt).toEqual({ kind: "accepted" })
      Deferred.doneUnsafe(interrupted, Effect.void)
      expect((yield* admitting.result).kind).toBe("not-started")
      yield* prepared.close
      expect(entries().filter((entry) => "input" in entry)).toEqual([])
    })))

  it.live("a Turn after the agent has died is not started", () =>
    Effect.scoped(Effect.gen(function*() {
      const { prepared } = yield* play("process-dies")
      const host = makeRecordingTurnHost()
      const handle = yield* prepared.startTurn(turnRequest(), host)
      expect(yield* host.follow(handle)).toMatchObject({ kind: "not-started", failure: { reason: "process-exited" } })
      expect(host.journal.map(({ kind }) => kind)).toEqual(["result"])
    })))
})

describe("a profile", () => {
  const state = (name: CapabilityName, profile: Harness["profile"]) => profile[name].state

  it("claims what recordings show only for the versions that they are of", () => {
    const { opencode } = acpAgents
    const shaken = { loads: true, offersModels: true }
    const recorded = acpProfile(opencode, { ...shaken, version: "1.18.33" })
    expect(state("interruption", recorded)).toBe("supported")
    expect(recorded.approvals).toMatchObject({ state: "limited", limits: opencode.limits?.approvals })
    expect(state("interruption", acpProfile(opencode, { ...shaken, version: "1.19.0" }))).toBe("limited")
    expect(state("interruption", acpProfile(acpAgents.goose, { ...shaken, version: "1.18.33" }))).toBe("limited")
  })

  it("claims no recovery, models or Thoughts that the agent does not have, and never Steers or Turn diffs", () => {
    const profile = acpProfile(customAgent({ program: "a", arguments: [] }), { version: undefined, loads: false, offersModels: false })
    for (const name of ["recovery", "model-selection", "thought-summaries", "steer", "turn-diff", "clarifications"] as const) {
      expect(state(name, profile), name).toBe("unsupported")
    }
  })
})
