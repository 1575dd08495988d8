import { expect, it } from "vitest"
import { allowedOnce, offeredOptions, outcomeOf } from "./permission.ts"

const options = [
  { optionId: "native-1", name: "Allow once", kind: "allow_once" },
  { optionId: "native-2", name: " ", kind: "allow_always" },
  { optionId: "native-3", name: "Reject", kind: "reject_once" },
  { optionId: "native-4", name: "Never", kind: "reject_always" },
  { optionId: "native-5", name: "Perhaps", kind: "of another version" },
  { name: "Nothing", kind: "allow_once" },
  "no option"
]

it("options are decisions with ids of our own; those that nobody understands are not offered", () => {
  expect(offeredOptions(options).map(({ decision }) => decision)).toEqual([
    { id: "1", kind: "allow", label: "Allow once" },
    { id: "2", kind: "allow-always", label: "Always allow" },
    { id: "3", kind: "deny", label: "Reject" },
    { id: "4", kind: "deny", label: "Never" }
  ])
  expect(offeredOptions("none")).toEqual([])
})

it("an answer selects its option and says whether it refuses; no answer, or none of these, cancels", () => {
  const offered = offeredOptions(options)
  const answered = (decision: string) => outcomeOf({ kind: "answered", decision, by: "person" }, offered)
  expect(answered("2")).toEqual({ outcome: { outcome: "selected", optionId: "native-2" }, refused: false })
  expect(answered("4")).toEqual({ outcome: { outcome: "selected", optionId: "native-4" }, refused: true })
  expect(answered("native-1")).toEqual({ outcome: { outcome: "cancelled" }, refused: false })
  expect(outcomeOf({ kind: "expired" }, offered)).toEqual({ outcome: { outcome: "cancelled" }, refused: false })
})

it("a call that needs nobody's leave is allowed once, or not at all", () => {
  expect(allowedOnce(offeredOptions(options))).toEqual({ outcome: { outcome: "selected", optionId: "native-1" }, refused: false })
  expect(allowedOnce(offeredOptions(options.slice(1, 5)))).toMatchObject({ outcome: { outcome: "cancelled" } })
})
