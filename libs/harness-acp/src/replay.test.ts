import { expect, it } from "@effect/vitest"
import type { TurnEvent } from "@steno/harness-seam"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { describe } from "vitest"
import { endedBy } from "./stop-reason.ts"
import { opencodeReading } from "./testing/opencode-reading.ts"
import { recordings, replay, type ReplayedTurn } from "./testing/replay.ts"

type Row = ReadonlyArray<string | number | undefined>

const rowOf = (event: TurnEvent): ReadonlyArray<Row> => {
  switch (event.type) {
    case "assistant-content":
      return [[event.incomplete === true ? "begins to say" : "says", event.content]]
    case "thought":
      return [["thinks", event.content]]
    case "tool-call-started":
      return [["starts", event.call.tool, event.call.input]]
    case "tool-call-ended":
      return [["ends", event.call.input, event.ending.outcome, event.call.exitCode, event.call.output?.text]]
    default:
      return []
  }
}

const rows = ({ events }: ReplayedTurn) => events.flatMap(rowOf)
const ended = ({ answer }: ReplayedTurn) => (answer === undefined ? undefined : endedBy(answer))

const long = "echo $$ > pid.txt; echo begun; sleep 20; echo over > over.txt"
const short = "echo $$ > pid.txt; echo begun; sleep 2; echo over > over.txt"
const slow = "for n in 1 2 3 4 5 6; do echo line $n; sleep 0.5; done"
const notes = "/recorded/workspace/notes.txt"
const greeting = "/recorded/workspace/greeting.txt"
const made = "/recorded/workspace/new.txt"
const nothing = "/recorded/workspace/nothing.txt"
const failing = "echo before; echo wrong >&2; exit 3"
const fine = "echo fine; echo warned >&2"
const count = "Count the files for me"
const greet = "greeter_greet · {\"name\":\"Ada\"}"
const refuse = "greeter_refuse · {\"name\":\"Ada\"}"

/** Of each Turn: how it ended and what it leaves. */
const told: Readonly<Record<string, ReadonlyArray<readonly [string | undefined, ReadonlyArray<Row>]>>> = {
  "text": [["end_turn", [["says", "Good morning. Nothing has to be done today."]]]],
  "two-texts": [["end_turn", [
    ["says", "The first text."],
    ["starts", "command", "echo between"],
    ["ends", "echo between", "completed", 0, "between\n"],
    ["says", "The second text."]
  ]]],
  "thoughts": [["end_turn", [
    ["says", "I print it."],
    ["starts", "command", "echo greeting"],
    ["ends", "echo greeting", "completed", 0, "greeting\n"],
    ["says", "It is printed."]
  ]]],
  "approval": [["end_turn", [
    ["says", "I ask first."],
    ["starts", "command", "touch allowed.txt && echo touched"],
    ["ends", "touch allowed.txt && echo touched", "completed", 0, "touched\n"],
    ["says", "It was allowed."]
  ]]],
  "cancelled-approval": [["cancelled", [["starts", "command", "touch refused.txt"]]]],
  "declined-tool": [["end_turn", [
    ["starts", "command", "touch refused.txt"],
    ["ends", "touch refused.txt", "denied", undefined, undefined]
  ]]],
  "edit": [["end_turn", [
    ["starts", "read", greeting],
    ["ends", greeting, "completed", undefined, "hello\nthere"],
    ["starts", "file-change", greeting],
    ["ends", greeting, "completed", undefined, "Edit applied successfully."],
    ["starts", "file-change", made],
    ["ends", made, "completed", undefined, "Wrote file successfully."],
    ["says", "One file is changed, one is new."]
  ]]],
  "failing-tool": [["end_turn", [
    ["starts", "command", failing],
    ["ends", failing, "completed", 3, "before\nwrong\n"],
    ["starts", "command", fine],
    ["ends", fine, "completed", 0, "fine\nwarned\n"],
    ["starts", "read", nothing],
    ["ends", nothing, "failed", undefined, undefined],
    ["says", "One failed, one did not, one found nothing."]
  ]]],
  "interrupt": [
    ["cancelled", [["says", "This takes long."], ["starts", "command", long]]],
    ["end_turn", [["says", "I go on after the interruption."]]]
  ],
  "killed": [
    [undefined, [["says", "This takes long."], ["starts", "command", long]]],
    ["end_turn", [["says", "The second process goes on."]]]
  ],
  "live-output": [["end_turn", [
    ["starts", "command", slow],
    ["ends", slow, "completed", 0, "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n"],
    ["says", "It printed six lines."]
  ]]],
  "mcp-tool": [["end_turn", [
    ["starts", "other", greet],
    ["ends", greet, "completed", undefined, "Hello, Ada."],
    ["starts", "other", refuse],
    ["ends", refuse, "failed", undefined, undefined],
    ["says", "One greeted, one did not."]
  ]]],
  "model-error": [["error", []], ["end_turn", [["says", "The second Turn goes on."]]]],
  "parallel-tools": [["end_turn", [
    ["says", "Three at once."],
    ["starts", "read", notes],
    ["starts", "search", "two"],
    ["starts", "command", "sleep 1; wc -l notes.txt"],
    ["ends", notes, "completed", undefined, "one\ntwo\nthree"],
    ["ends", "two", "completed", undefined, `Found 1 matches\n${notes}:\n  Line 2: two\n`],
    ["ends", "sleep 1; wc -l notes.txt", "completed", 0, "3 notes.txt\n"],
    ["says", "All three are settled."]
  ]]],
  "refused-write": [["end_turn", [
    ["starts", "file-change", made],
    ["ends", made, "completed", undefined, "Wrote file successfully."],
    ["says", "Said after the refusal."]
  ]]],
  "resume": [
    ["end_turn", [
      ["says", "The first process says this."],
      ["starts", "command", "echo first"],
      ["ends", "echo first", "completed", 0, "first\n"],
      ["says", "Done."]
    ]],
    ["end_turn", [["says", "The second process remembers."]]]
  ],
  "resume-unknown": [],
  "second-prompt": [["end_turn", [
    ["starts", "command", short],
    ["ends", short, "completed", 0, "begun\n"],
    ["says", "The first answer."]
  ]]],
  "second-turn": [
    ["end_turn", [
      ["starts", "command", "echo first"],
      ["ends", "echo first", "completed", 0, "first\n"],
      ["says", "First Turn."]
    ]],
    ["end_turn", [
      ["starts", "command", "echo second"],
      ["ends", "echo second", "completed", 0, "second\n"],
      ["says", "Second Turn."]
    ]]
  ],
  "set-model": [
    ["end_turn", [["says", "With the first model."]]],
    ["end_turn", [["says", "With another one."]]]
  ],
  "sub-agent": [["end_turn", [
    ["says", "I ask another agent."],
    ["starts", "subagent", count],
    ["ends", count, "completed", undefined, "There is one file."],
    ["says", "The other agent counted one file."]
  ]]],
  "sub-agent-approval": [["end_turn", [["starts", "subagent", count], ["says", "Said after the cancellation."]]]]
}

describe("a recording of opencode is told as it was", () => {
  for (const [scenario, turns] of Object.entries(told)) {
    it.effect(scenario, () =>
      Effect.gen(function*() {
        const played = yield* replay(scenario, opencodeReading)
        expect(played.map((turn) => [ended(turn), rows(turn)])).toEqual(turns)
      }))
  }

  it.effect("plan: an ordinary call with its arguments", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("plan", opencodeReading)
      expect(turn?.events.filter(({ type }) => type === "activity")).toEqual([])
      expect(turn?.events.find(({ type }) => type === "tool-call-started")).toMatchObject({
        call: { tool: "other", input: expect.stringMatching(/^todowrite · \{"todos":\[\{"content":"Look"/) }
      })
    }))

  it.effect("long-output: what was left out is said in its own words", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("long-output", opencodeReading)
      expect(turn?.events.find(({ type }) => type === "tool-call-ended")).toMatchObject({
        call: { exitCode: 0, nativeOmission: expect.stringMatching(/^\.\.\.output truncated\.\.\.\n\nFull output saved to: \S+$/) }
      })
    }))

  it("is replayed for every scenario there is", () => {
    expect(readdirSync(recordings).toSorted()).toEqual([...Object.keys(told), "plan", "long-output"].toSorted())
  })
})

describe("what opencode says beside", () => {
  it.effect("an edit has the whole patch of its result, a new file its kind", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("edit", opencodeReading)
      const files = turn?.events.flatMap((event) => (event.type === "tool-call-ended" ? [event.call.files] : []))
      expect(files).toEqual([
        undefined,
        [{
          path: greeting,
          kind: "update",
          patch: expect.stringContaining("@@ -1,2 +1,2 @@\n-hello\n+good morning\n there\n"),
          additions: 1,
          removals: 1
        }],
        [{ path: made, kind: "create" }]
      ])
    }))

  it.effect("a command that a cancel broke off keeps its output without words about the abort", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("interrupt", opencodeReading)
      expect(turn?.sinks).toEqual(["begun\n"])
    }))

  it.effect("output that is repeated whole lies in the file once", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("live-output", opencodeReading)
      expect(turn?.sinks).toEqual(["line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n"])
      expect(turn?.events.filter(({ type }) => type === "tool-preview").length).toBeGreaterThan(0)
    }))

  it.effect("usage is the context as it was reported", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("text", opencodeReading)
      expect(turn?.events.flatMap((event) => (event.type === "context" ? [event.report] : []))).toEqual([
        { usedTokens: 100, limitTokens: 100_000 }
      ])
    }))

  it.effect("thoughts that are said to be summaries are told, each by itself", () =>
    Effect.gen(function*() {
      const [turn] = yield* replay("thoughts", { ...opencodeReading, thoughts: "summaries" })
      expect(turn?.events.flatMap((event) => (event.type === "thought" ? [event.content] : []))).toEqual([
        "The person wants a greeting, so I print one.",
        "It was printed."
      ])
    }))

  it.effect("no native id is told", () =>
    Effect.gen(function*() {
      for (const scenario of readdirSync(recordings)) {
        for (const turn of yield* replay(scenario, { ...opencodeReading, thoughts: "summaries" })) {
          expect(JSON.stringify(turn.events), scenario).not.toMatch(/msg_|prt_|ses_|call_\d|call_parent/)
        }
      }
    }))
})
