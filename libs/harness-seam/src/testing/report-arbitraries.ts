/** Random reports of a Turn with few items, so that repetitions, races and late ones are common. */
import fc from "fast-check"
import { ItemId } from "../item-id.ts"
import type { TurnReport } from "../turn-report.ts"

const id = fc.constantFrom("i1", "i2", "i3").map((text) => ItemId.make(text))
const content = fc.constantFrom("", " ", "a", "bc", "d e\n", "😀")
const output = fc.record({ output: fc.constantFrom("", "o", "out\n", "out\nput") }, { requiredKeys: [] })
const call = fc.record(
  { itemId: id, tool: fc.constantFrom("command" as const, "read" as const), input: content, exitCode: fc.constantFrom(0, 3) },
  { requiredKeys: ["itemId"] }
)
const ending = fc.constantFrom(
  { outcome: "completed" as const },
  { outcome: "failed" as const, error: "no" },
  { outcome: "denied" as const }
)
const diff = { content: fc.constantFrom("d1", "d2"), files: fc.constant([{ path: "f" }]) }

export const turnReport: fc.Arbitrary<TurnReport> = fc.oneof(
  fc.record({ type: fc.constant("message-delta" as const), messageId: id, delta: content }),
  fc.record({ type: fc.constant("message-preview" as const), messageId: id, content }),
  fc.record({ type: fc.constant("message" as const), messageId: id, content }),
  fc.record({ type: fc.constant("thought-delta" as const), summaryId: id, delta: content }),
  fc.record({ type: fc.constant("thought-preview" as const), summaryId: id, content }),
  fc.record({ type: fc.constant("thought" as const), summaryId: id, content }),
  fc.tuple(call, output).map(([called, supplied]) => ({ type: "call-started" as const, call: called, ...supplied })),
  fc.tuple(call, output).map(([called, supplied]) => ({ type: "call-updated" as const, call: called, ...supplied })),
  fc.tuple(call, content).map(([called, outputDelta]) => ({ type: "call-updated" as const, call: called, outputDelta })),
  fc.tuple(call, output, ending).map(([called, supplied, ended]) => ({
    type: "call-ended" as const, call: called, ...supplied, ending: ended
  })),
  fc.record({ type: fc.constant("diff-preview" as const), ...diff }),
  fc.record({ type: fc.constant("diff" as const), ...diff }),
  fc.record({ type: fc.constant("context" as const), report: fc.record({ usedTokens: fc.nat() }, { requiredKeys: [] }) })
)
