/**
 * The part of the conformance suite about requests, controls, loss and recovery.
 *
 * Owns: those claims; they are made by `describeHarnessConformance`.
 */
import { Deferred, Effect } from "effect"
import { expect } from "vitest"
import type { CapabilityName } from "../harness-profile.ts"
import { answer, callRuns, describeClaims, contents, hostOf, ofType, play, prepare } from "./conformance-play.ts"
import type { HarnessMaker } from "./conformance-subject.ts"
import type { RecordingAnswers } from "./recording-turn-host.ts"
import { turnRequest } from "./seam-values.ts"

export const describeControlConformance = (name: string, maker: HarnessMaker): void => {
  describeClaims(maker, `${name} asks`, (claim) => {
    for (const [decision, told] of [["allow", "allowed"], ["deny", "denied"]] as const) {
      claim("approval", `an approval that is answered ${decision} is ${told} to the program`, () =>
        Effect.gen(function*() {
          const { host, result, subject } = yield* play(maker, "approval", {
            answers: {
              request: ({ decisions }) => answer(decisions.find(({ kind }) => kind === decision)?.id ?? "none")
            }
          })
          expect(result.kind).toBe("completed")
          expect(host.journal.filter(({ kind }) => kind === "request")).toHaveLength(1)
          expect(subject.approvals()).toEqual([told])
        }))
    }

    claim("two-approvals", "two approvals at once are answered each for itself", () =>
      Effect.gen(function*() {
        let asked = 0
        const both = Deferred.makeUnsafe<void>()
        const { subject } = yield* play(maker, "two-approvals", {
          answers: {
            request: ({ decisions }) => {
              const kind = asked++ === 0 ? "deny" : "allow"
              if (asked === 2) Deferred.doneUnsafe(both, Effect.void)
              return Effect.andThen(Deferred.await(both), answer(decisions.find((one) => one.kind === kind)?.id ?? "none"))
            }
          }
        })
        expect(subject.approvals()).toEqual(["denied", "allowed"])
      }))

    claim("open-approval", "an approval that is open at the end expires before the result, and is answered as cancelled", () =>
      Effect.gen(function*() {
        const { host, prepared, subject } = yield* play(maker, "open-approval")
        expect(host.journal.map(({ kind }) => kind).filter((kind) => kind !== "event").slice(-3)).toEqual([
          "request", "request-expired", "result"
        ])
        yield* prepared.close
        expect(subject.approvals()).toEqual(["cancelled"])
      }))

    claim("approval", "an approval that is open when the harness is closed is answered as cancelled before the program ends", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "approval")
        const asked = Deferred.makeUnsafe<void>()
        const request = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
        const handle = yield* prepared.startTurn(turnRequest(), hostOf(subject, { request }))
        yield* Deferred.await(asked)
        yield* prepared.close
        expect((yield* handle.result).kind).toBe("lost")
        expect(subject.approvals()).toEqual(["cancelled"])
      }))

    claim("approval-in-turn-2", "the second Turn can ask as the first one could", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "approval-in-turn-2")
        const request: RecordingAnswers["request"] = ({ decisions }) =>
          answer(decisions.find(({ kind }) => kind === "allow")?.id ?? "none")
        for (const expected of [[], ["allowed"]]) {
          const host = hostOf(subject, { request })
          yield* host.follow(yield* prepared.startTurn(turnRequest(), host))
          expect(subject.approvals()).toEqual(expected)
        }
      }))

    claim("agent-call", "an Agent call is asked once and makes no tool row", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "agent-call", {
          answers: { agentCall: () => Effect.succeed({ kind: "accepted" }) }
        })
        expect(host.journal.flatMap((entry) => (entry.kind === "agent-call" ? [entry.call] : []))).toEqual([
          expect.objectContaining({ call: "run_done", reason: "all done" })
        ])
        expect(ofType(host.events(), "tool-call-started")).toEqual([])
      }))

    claim("execute", "a tool that the client runs is one call, however the program reports it", () =>
      Effect.gen(function*() {
        const { host } = yield* play(maker, "execute")
        expect(host.journal.filter(({ kind }) => kind === "execute")).toHaveLength(1)
        expect(ofType(host.events(), "tool-call-started")).toEqual([])
        expect(ofType(host.events(), "tool-call-ended")).toEqual([])
      }))
  })

  describeClaims(maker, `${name} takes controls`, (claim) => {
    claim("steer", "a Steer is accepted, delivered once, and nothing to a Turn that is over", () =>
      Effect.gen(function*() {
        const { handle, host } = yield* play(maker, "steer", {
          meanwhile: (live) =>
            Effect.gen(function*() {
              expect(yield* live.steer({ steerId: "s1", text: "left" })).toEqual({ kind: "accepted" })
            })
        })
        expect(ofType(host.events(), "steer").map(({ steerId, settlement }) => [steerId, settlement.kind])).toEqual([
          ["s1", "delivered"]
        ])
        expect(yield* handle.steer({ steerId: "s2", text: "right" })).toEqual({
          kind: "rejected",
          reason: "already-settled"
        })
      }))

    claim("pending-steer", "a Steer that was not delivered when the Turn is interrupted is dropped before the result", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "pending-steer", {
          meanwhile: (live) => Effect.andThen(live.steer({ steerId: "s1", text: "left" }), live.interrupt)
        })
        expect(result.kind).toBe("interrupted")
        expect(ofType(host.events(), "steer").map(({ settlement }) => settlement)).toEqual([
          { kind: "dropped", reason: "interrupt" }
        ])
        expect(host.journal.at(-1)?.kind).toBe("result")
      }))

    claim("interrupt", "an interrupt that is confirmed says by what, and invents no end of a call", () =>
      Effect.gen(function*() {
        const { handle, host, result } = yield* play(maker, "interrupt", {
          meanwhile: (live, host) =>
            Effect.gen(function*() {
              yield* callRuns(live, host)
              expect(yield* live.interrupt).toEqual({ kind: "accepted" })
            })
        })
        expect(result).toMatchObject({ kind: "interrupted", confirmedBy: maker.profile.interruption.mode })
        expect(ofType(host.events(), "tool-call-ended")).toEqual([])
        expect(yield* handle.interrupt).toEqual({ kind: "rejected", reason: "already-settled" })
      }))

    claim("interrupt-unconfirmed", "an interrupt that nothing confirms leaves the interruption unknown", () =>
      Effect.gen(function*() {
        const { result } = yield* play(maker, "interrupt-unconfirmed", {
          meanwhile: (live, host) => Effect.andThen(callRuns(live, host), live.interrupt)
        })
        expect(result).toMatchObject({ kind: "lost", unknown: "interruption" })
      }))

    claim("interrupt-late", "a confirmation that came only from a program that was asked to stop leaves the Session detached", () =>
      Effect.gen(function*() {
        const { result, subject } = yield* play(maker, "interrupt-late", {
          meanwhile: (live, host) => Effect.andThen(callRuns(live, host), live.interrupt)
        })
        expect(result).toMatchObject({ kind: "interrupted", availability: "detached" })
        expect(subject.inputs()).toHaveLength(1)
      }))

    claim("text", "a control that the profile does not claim is refused as unsupported, one without content as misshapen", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "text")
        const handle = yield* prepared.startTurn(turnRequest(), hostOf(subject, { admit: Effect.never }))
        const refusal = (capability: CapabilityName, otherwise: string) => ({
          kind: "rejected",
          reason: maker.profile[capability].state === "unsupported" ? "unsupported" : otherwise
        })
        expect(yield* handle.steer({ steerId: "s", text: " " })).toEqual(refusal("steer", "shape-mismatch"))
        expect(yield* handle.changeModel({ model: " " })).toEqual(refusal("model-selection", "shape-mismatch"))
      }))
  })

  describeClaims(maker, `${name} loses and recovers`, (claim) => {
    claim("process-dies", "a process that is gone in mid-Turn leaves its text, a lost Turn and no process", () =>
      Effect.gen(function*() {
        const { host, result, subject } = yield* play(maker, "process-dies")
        expect(result).toMatchObject({ kind: "lost", unknown: "completion", availability: "detached" })
        expect(ofType(host.events(), "assistant-content")).toEqual([
          expect.objectContaining({ content: "half", incomplete: true })
        ])
        expect(yield* subject.running).toBe(0)
      }))

    claim("long-line", "a line above the limit fails the Turn with that reason, keeps its text and ends the process", () =>
      Effect.gen(function*() {
        const { host, result, subject } = yield* play(maker, "long-line")
        expect(result).toMatchObject({ kind: "failed", failure: { reason: "line-too-long" }, availability: "detached" })
        expect(contents(host)).toEqual(["half"])
        expect(yield* subject.running).toBe(0)
      }))

    claim("checkpoint", "a coordinate that is not stored changes no result", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "checkpoint", { answers: { checkpoint: Effect.succeed("refused") } })
        expect(host.journal.filter(({ kind }) => kind === "checkpoint")).toHaveLength(1)
        expect(result.kind).toBe("completed")
      }))

    claim("resume", "what a resumed session replays is not told again", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "resume", {
          prepare: { coordinate: "native-1" },
          request: { coordinate: "native-1" }
        })
        expect(result.kind).toBe("completed")
        expect(contents(host)).toEqual(["Hello"])
      }))

    claim("refused-resume", "a session that is gone is never replaced by a new one", () =>
      Effect.gen(function*() {
        const { result, subject } = yield* play(maker, "refused-resume", {
          prepare: { coordinate: "native-1" },
          request: { coordinate: "native-1" }
        })
        expect(result.kind).toBe("not-started")
        expect(subject.inputs()).toEqual([])
      }))

    claim("unknown-frames", "what is not known or not of this Turn changes nothing", () =>
      Effect.gen(function*() {
        const { host, result } = yield* play(maker, "unknown-frames")
        expect(result.kind).toBe("completed")
        expect(contents(host)).toEqual(["Hello"])
        expect(ofType(host.events(), "tool-call-started")).toEqual([])
      }))

    claim("late-frames", "what comes after the end changes nothing", () =>
      Effect.gen(function*() {
        const { prepared, subject } = yield* prepare(maker, "late-frames")
        const host = hostOf(subject)
        const handle = yield* prepared.startTurn(turnRequest(), host)
        const result = yield* host.follow(handle)
        const journal = [...host.journal]
        yield* subject.played
        yield* prepared.close
        expect(host.journal).toEqual(journal)
        expect(yield* handle.result).toEqual(result)
        expect(contents(host)).toEqual(["Hello"])
      }))
  })
}
