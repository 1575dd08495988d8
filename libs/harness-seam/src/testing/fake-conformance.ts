/** The scenarios of the conformance suite as scripts of the fake. */
import { Effect } from "effect"
import type { HarnessRequest } from "../turn-host.ts"
import { turnFailure, type TurnResult } from "../turn-result.ts"
import { conformanceSecret, type ScenarioName } from "./conformance-scenarios.ts"
import type { HarnessMaker } from "./conformance-subject.ts"
import { type FakeHarness, fakeProfile, makeFakeHarness } from "./fake-harness.ts"
import { completed, end, type FakeStep, type FakeTurn, type NamedItem, report } from "./fake-step.ts"

const message = (name: string, ...pieces: ReadonlyArray<string>): ReadonlyArray<FakeStep> => [
  ...pieces.map((delta) => report((item) => ({ type: "message-delta", messageId: item(name), delta }))),
  report((item) => ({ type: "message", messageId: item(name), content: pieces.join("") }))
]

const started = (name: string, input: string): FakeStep =>
  report((item) => ({ type: "call-started", call: { itemId: item(name), tool: "command", input } }))

const ended = (name: string, outcome: "completed" | "failed", output: string): FakeStep =>
  report((item) => ({ type: "call-ended", call: { itemId: item(name) }, ending: { outcome }, output }))

const approval = (call: string) => (item: NamedItem): HarnessRequest => ({
  kind: "approval",
  itemId: item(call),
  description: "May it run?",
  decisions: [{ id: "yes", kind: "allow", label: "Allow" }, { id: "no", kind: "deny", label: "Deny" }]
})
const ask = (name: string): FakeStep => ({ do: "request", name, request: approval(name) })

const hello = message("native-text", "Hel", "lo")
const half = report((item) => ({ type: "message-delta", messageId: item("native-text"), delta: "half" }))
const text: FakeTurn = { steps: hello }
const approved: FakeTurn = { steps: [ask("r1"), { do: "await", name: "r1" }] }
const interrupted: TurnResult = { kind: "interrupted", confirmedBy: "active-turn", availability: "open" }
const lost = (unknown: "completion" | "interruption"): TurnResult => ({
  kind: "lost",
  unknown,
  lastObservation: "the program ended",
  availability: "detached"
})
const split = [conformanceSecret.slice(0, 7), conformanceSecret.slice(7, 20), conformanceSecret.slice(20)]
const [first = "", ...rest] = split
const secretPieces = [`x ${first}`, ...rest, " y"]

export const fakeScripts: Readonly<Record<ScenarioName, ReadonlyArray<FakeTurn>>> = {
  "text": [text, text, text],
  "two-blocks": [{ steps: [...message("native-1", "one"), ...message("native-2", "two")] }],
  "calls": [{
    steps: [
      started("native-a", "a"),
      started("native-b", "b"),
      ended("native-b", "completed", "out-b\n"),
      ended("native-a", "failed", "out-a\n")
    ]
  }],
  "long-output": [{ steps: [started("native-a", "a"), ended("native-a", "completed", "x".repeat(30_001))] }],
  "running-call": [{ steps: [started("native-a", "a")] }],
  "pending-text": [{
    steps: [half, end({ kind: "failed", failure: turnFailure("native", "overloaded"), availability: "open" })]
  }],
  "thoughts": [{
    steps: [" \n", "plan"].map((content) =>
      report((item) => ({ type: "thought", summaryId: item(content), content }))
    )
  }],
  "diff": [{
    steps: Array.from({ length: 300 }, (_, last) =>
      report(() => ({
        type: "diff-preview",
        content: `${last}`,
        files: Array.from({ length: last + 1 }, (_, at) => ({ path: `f${at}` }))
      })))
  }],
  "approval": [approved],
  "two-approvals": [{ steps: [ask("r1"), ask("r2"), { do: "await", name: "r1" }, { do: "await", name: "r2" }] }],
  "open-approval": [{ steps: [ask("r1")] }],
  "approval-in-turn-2": [text, approved],
  "steer": [{ steps: [{ do: "steer", delivery: "within-turn" }] }],
  "pending-steer": [{ steps: [{ do: "steer" }, { do: "interrupted" }, end(interrupted)] }],
  "interrupt": [{ steps: [started("native-a", "a"), { do: "interrupted" }, end(interrupted)] }],
  "interrupt-unconfirmed": [{
    steps: [started("native-a", "a"), { do: "interrupted" }, { do: "program-ends" }, end(lost("interruption"))]
  }],
  "interrupt-late": [{
    steps: [
      started("native-a", "a"),
      ended("native-a", "completed", ""),
      { do: "interrupted" },
      { do: "program-ends" },
      end({ ...interrupted, availability: "detached" })
    ]
  }],
  "process-dies": [{ steps: [half, { do: "program-ends" }, end(lost("completion"))] }],
  "resume": [text],
  "refused-resume": [{ steps: [], refusesResume: true }],
  "unknown-frames": [{
    steps: [
      report(() => ({ type: "steer-delivered", steerId: "foreign", delivery: "within-turn" })),
      report(() => ({ type: "context", report: { usedTokens: -1 } })),
      ...hello
    ]
  }],
  "long-line": [{
    steps: [
      half,
      { do: "program-ends" },
      end({ kind: "failed", failure: turnFailure("line-too-long", "16777217 bytes"), availability: "detached" })
    ]
  }],
  "late-frames": [{
    steps: [...hello, end(completed), ...message("native-late", "late"), started("native-late-call", "a")]
  }],
  "agent-call": [{
    steps: [
      { do: "agent-call", name: "done", call: { id: "1", call: "run_done", reason: "all done" } },
      { do: "await", name: "done" }
    ]
  }],
  "execute": [{
    steps: [
      { do: "execute", name: "make", tool: "bash", input: { command: "make" }, item: "native-a" },
      { do: "await", name: "make" },
      started("native-a", "make"),
      ended("native-a", "completed", "made\n")
    ]
  }],
  "checkpoint": [{ steps: [{ do: "checkpoint", coordinate: "native-session" }, ...hello] }],
  "context": [{
    steps: [{ usedTokens: 1, limitTokens: 10 }, { usedTokens: 2 }].map((value) =>
      report(() => ({ type: "context", report: value }))
    )
  }],
  "secret": [{
    steps: [
      ...message("native-text", ...secretPieces),
      started("native-a", "a"),
      ...secretPieces.map((outputDelta) =>
        report((item) => ({ type: "call-updated", call: { itemId: item("native-a") }, outputDelta }))
      ),
      report((item) => ({
        type: "call-ended",
        call: { itemId: item("native-a") },
        ending: { outcome: "completed" }
      }))
    ]
  }]
}

const approvalsOf = (fake: FakeHarness) =>
  ["r1", "r2"].flatMap((name) => {
    const answer = fake.answers.get(name)
    if (typeof answer !== "object" || answer === null) return []
    const decision: unknown = Reflect.get(answer, "decision")
    return [decision === "yes" ? "allowed" as const : decision === "no" ? "denied" as const : "cancelled" as const]
  })

export const fakeMaker: HarnessMaker = {
  profile: fakeProfile,
  optional: ["agent-call", "execute", "checkpoint", "context"],
  make: (scenario) =>
    Effect.sync(() => {
      const fake = makeFakeHarness({ turns: fakeScripts[scenario] })
      return {
        harness: fake,
        inputs: () => [...fake.inputs],
        approvals: () => approvalsOf(fake),
        played: fake.played,
        running: Effect.sync(fake.running),
        nativeIds: ["native-a", "native-b", "native-text", "native-1"]
      }
    })
}
