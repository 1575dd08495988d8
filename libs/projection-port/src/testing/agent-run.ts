/**
 * A Run of an agent, as the Port would show it.
 *
 * Owns: one Turn of two answers with a call between, and what it may ask: an approval, a question, questions, a review.
 */
import { CallId, type PendingInteraction, type RunCall, type TranscriptEntry, TurnId } from "@steno/contracts"

const turnId = TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ0000001")
const callId = (ordinal: number) => CallId.make(`call_01ARZ3NDEKTSV4RRFFQ${String(ordinal).padStart(7, "0")}`)
const at = "2026-01-02T03:04:05.000Z"

const place = (ordinal: number, tool: string) => ({ session: "main", turnId, tool, callId: callId(ordinal) })

export const agentEntries: ReadonlyArray<TranscriptEntry> = [
  { session: "main", role: "user", content: "Mend the test", kind: "message", turn: turnId },
  { session: "main", role: "assistant", content: "I read it first.", kind: "message", turn: turnId },
  { session: "main", role: "assistant", content: "Now I clean up.", kind: "message", turn: turnId }
]

export const agentTimeline = [
  { at, event: "turn-admitted", turnId },
  { at, event: "assistant-content", turnId },
  { at, event: "tool-call-started", detail: "read", turnId },
  { at, event: "tool-call-settled", detail: "completed", turnId },
  { at, event: "assistant-content", turnId },
  { at, event: "tool-call-started", detail: "bash", turnId }
] as const

export const agentCalls: ReadonlyArray<RunCall> = [
  { ...place(1, "read"), ordinal: 1, input: "src/a.test.ts", outcome: "completed", durationMs: 3 },
  { ...place(2, "bash"), ordinal: 2, input: "rm -r build\nls", state: "awaiting_approval" }
]

export const pendingApproval: PendingInteraction = {
  kind: "approval",
  reason: "No rule allows rm.",
  options: ["allow", "deny"],
  segments: [
    { text: "rm -r build", decision: "approval", layer: "default", reason: "it runs a command" },
    { text: "ls", decision: "allow", layer: "user", rule: { effect: "allow", command: "ls" }, reason: "a rule allows it" }
  ],
  suggestedRules: [{ effect: "allow", command: "rm -r build" }, { effect: "allow", command: "rm *" }],
  ...place(2, "bash"),
  input: "rm -r build\nls"
}

export const pendingQuestion: PendingInteraction = {
  kind: "question",
  reason: "Which database?",
  options: ["pg", "lite"],
  questions: [{
    id: "db",
    prompt: "Which database?",
    header: "Storage",
    options: [{ id: "pg", label: "PostgreSQL", description: "a server" }, { id: "lite", label: "SQLite" }],
    allowText: true
  }],
  ...place(2, "ask_user"),
  input: "{}"
}

export const pendingQuestions: PendingInteraction = {
  kind: "question",
  reason: "Which database?",
  questions: [
    { id: "db", prompt: "Which database?", options: [{ id: "pg", label: "PostgreSQL" }], multiSelect: true },
    { id: "a=b", prompt: "Why?", options: [], allowText: true }
  ],
  ...place(2, "ask_user"),
  input: "{}"
}

export const pendingReview: PendingInteraction = {
  kind: "review",
  reason: "run_done: all tests pass",
  options: ["continue", "stop"],
  ...place(2, "run_done")
}
