import { expect, it } from "vitest"
import { ItemIds } from "./item-id.ts"

it("an item is found again by its native identity, and its id does not show it", () => {
  const ids = new ItemIds()
  const first = ids.block("msg_native", 0)
  expect(ids.block("msg_native", 0)).toBe(first)
  expect(first).not.toContain("native")
})

it("blocks of one message, kinds with one native id and items without any are different items", () => {
  const ids = new ItemIds()
  const all = [
    ids.block("n", 0), ids.block("n", 1), ids.named("call", "n"), ids.named("request", "n"),
    ids.block(undefined, 0), ids.block(undefined, 0), ids.named("call", undefined)
  ]
  expect(new Set(all).size).toBe(all.length)
})

it("another Turn may mint the same ids", () => {
  expect(new ItemIds().fresh()).toBe(new ItemIds().fresh())
})

it("another start of the same Turn mints others", () => {
  const starts = [new ItemIds(), new ItemIds(2), new ItemIds(12)]
  const all = starts.flatMap((ids) => Array.from({ length: 30 }, () => ids.fresh()))
  expect(new Set(all).size).toBe(all.length)
})
