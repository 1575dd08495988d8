import { it } from "@effect/vitest"
import type { TurnEvent, TurnEventOf } from "@steno/harness-seam"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { recordingNames, replay } from "./testing/codex-recordings.ts"

const ofType = <Type extends TurnEvent["type"]>(events: ReadonlyArray<TurnEvent>, type: Type) =>
  events.filter((event): event is TurnEventOf<Type> => event.type === type)
const contents = (events: ReadonlyArray<TurnEvent>) => ofType(events, "assistant-content").map(({ content }) => content)
const ended = (events: ReadonlyArray<TurnEvent>) =>
  ofType(events, "tool-call-ended").map(({ call, ending }) => ({ ...call, ...ending }))

/** The only Turn of that recording, or the one at `index`. */
const turnOf = (name: string, index = 0) =>
  Effect.map(replay(name), (turns) => {
    const turn = turns[index]
    if (turn === undefined) throw new Error(`${name} has no Turn ${index}`)
    return turn
  })

describe.each(recordingNames)("the recording %s", (name) => {
  it.effect("is understood: nothing in it is unknown or malformed, and no native id shows", () =>
    Effect.gen(function*() {
      for (const turn of yield* replay(name)) {
        expect(turn.oddities.filter((code) => !code.startsWith("foreign-frame"))).toEqual([])
        const told = JSON.stringify(turn.events)
        for (const id of turn.nativeIds) expect(told).not.toContain(`"${id}"`)
      }
    }))
})

describe("Codex's items", () => {
  it.effect("two texts stay two", () =>
    Effect.gen(function*() {
      const { end, events } = yield* turnOf("two-texts")
      expect(contents(events)).toEqual(["The first text of the answer.", "The second text of the answer."])
      expect(end).toEqual({ kind: "completed" })
    }))

  it.effect("summaries are Thoughts, told once", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("thoughts")
      expect(ofType(events, "thought").map(({ content }) => content)).toEqual([
        "The person wants a greeting, so I print one.",
        "It was printed."
      ])
    }))

  it.effect("a command with an exit code did what it was asked; one without output supplied none", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("failing-tool")
      expect(ended(events).map(({ exitCode, outcome, output }) => [exitCode, outcome, output?.text])).toEqual([
        [3, "completed", "before\nwrong\n"],
        [0, "completed", "fine\nwarned\n"],
        [0, "completed", undefined],
        [127, "completed", "/bin/bash: line 1: no-such-program: command not found\n"]
      ])
    }))

  it.effect("the output of the end replaces the deltas, which lack the beginning", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("live-output")
      const [call] = ended(events)
      expect(call?.output?.incomplete).toBeUndefined()
      expect(call?.output?.text.startsWith("line 1")).toBe(true)
    }))

  it.effect("changed files have unified patches, a move both its paths", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("edit")
      const [call] = ended(events)
      expect(call?.files).toEqual([
        { path: "/recorded/workspace/greeting.txt", kind: "update", patch: "@@ -1,2 +1,2 @@\n-hello\n+good morning\n there\n" },
        {
          path: "/recorded/workspace/folder/moved.txt",
          kind: "update",
          patch: "--- /recorded/workspace/moved.txt\n+++ /recorded/workspace/folder/moved.txt\n@@ -1,2 +1,2 @@\n stays\n-changes\n+changed\n"
        },
        { path: "/recorded/workspace/new.txt", kind: "create", patch: "@@ -0,0 +1,2 @@\n+one\n+two\n" },
        { path: "/recorded/workspace/old.txt", kind: "delete", patch: "@@ -1 +0,0 @@\n-old\n" }
      ])
      const [diff] = ofType(events, "turn-diff")
      expect(diff?.files.map(({ kind, path }) => [kind, path])).toEqual([
        ["update", "greeting.txt"],
        ["update", "folder/moved.txt"],
        ["create", "new.txt"],
        ["delete", "old.txt"]
      ])
    }))

  it.effect("what was declined is denied, and its patch is no evidence", () =>
    Effect.gen(function*() {
      const { end, events } = yield* turnOf("declined-tool")
      expect(ended(events).map(({ outcome }) => outcome)).toEqual(["denied", "denied"])
      expect(ended(events)[1]?.files).toEqual([{ path: "/recorded/workspace/refused-too.txt", kind: "create" }])
      expect(end).toEqual({ kind: "completed" })
    }))

  it.effect("an MCP call has its text as output, a failing one too", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("mcp-tool")
      expect(ended(events).map(({ input, outcome, output }) => [input, outcome, output?.text])).toEqual([
        ['greeter/greet · {"name":"Ada"}', "completed", "Hello, Ada."],
        ['greeter/refuse · {"name":"Ada"}', "failed", "I do not greet."]
      ])
    }))

  it.effect("what a sub-agent does runs under the call that began it, and its end ends no Turn", () =>
    Effect.gen(function*() {
      const { end, events } = yield* turnOf("sub-agent")
      const calls = ended(events)
      const parent = calls.find(({ tool }) => tool === "subagent")
      const child = calls.find(({ input }) => input.includes("echo counted"))
      expect(child?.parentItemId).toBe(parent?.itemId)
      expect(ofType(events, "assistant-content").filter(({ parentItemId }) => parentItemId !== undefined).map(({ content }) => content))
        .toEqual(["I count.", "I have counted."])
      expect(contents(events)).toContain("The other agent has counted.")
      expect(end).toEqual({ kind: "completed" })
    }))
})

describe("Codex's Turns", () => {
  it.effect("an interrupted command has no end, whatever comes later of it", () =>
    Effect.gen(function*() {
      for (const name of ["interrupt", "interrupt-background"]) {
        const { end, events } = yield* turnOf(name)
        expect(end).toEqual({ kind: "interrupted" })
        expect(ofType(events, "tool-call-started")).toHaveLength(1)
        expect(ended(events)).toEqual([])
      }
    }))

  it.effect("a Steer is delivered behind the running command", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("steer")
      expect(ofType(events, "steer").map(({ settlement, steerId }) => [steerId, settlement])).toEqual([
        ["client-steer-1", { kind: "delivered", delivery: "after-boundary" }]
      ])
    }))

  it.effect("a Steer that waits when the Turn is interrupted is dropped", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("steer-interrupt")
      expect(ofType(events, "steer").map(({ settlement }) => settlement)).toEqual([{ kind: "dropped", reason: "interrupt" }])
    }))

  it.effect("a model that was changed is told with its effort", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("set-model", 1)
      expect(ofType(events, "model")).toEqual([{ type: "model", model: "gpt-5.6-sol", effort: "low" }])
    }))

  it.effect("a model's refusal fails the Turn in the provider's words", () =>
    Effect.gen(function*() {
      const { end } = yield* turnOf("model-error")
      expect(end).toMatchObject({ kind: "failed", reason: "native", text: expect.stringContaining("The model refused.") })
    }))

  it.effect("tokens of the last request are context, the total is usage", () =>
    Effect.gen(function*() {
      const { events } = yield* turnOf("approval")
      expect(ofType(events, "context").at(-1)?.report).toEqual({ usedTokens: 110, limitTokens: 258_400 })
      expect(ofType(events, "usage").at(-1)?.report).toEqual({ usedTokens: 330 })
    }))

  it.effect("a second Turn of the thread has its own calls and texts", () =>
    Effect.gen(function*() {
      expect(contents((yield* turnOf("second-turn", 0)).events)).toEqual(["First Turn."])
      expect(contents((yield* turnOf("second-turn", 1)).events)).toEqual(["Second Turn."])
    }))
})
