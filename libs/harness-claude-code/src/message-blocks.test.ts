import { expect, it } from "vitest"
import { MessageBlocks } from "./message-blocks.ts"

it("a whole block stands where the stream has one open", () => {
  const blocks = new MessageBlocks()
  blocks.begin("m")
  blocks.open(2)
  expect(blocks.place("m")).toBe(2)
  blocks.close()
  expect(blocks.place("m")).toBe(3)
})

it("blocks of a message that does not stream are counted", () => {
  const blocks = new MessageBlocks()
  blocks.begin("streamed")
  blocks.open(5)
  expect([blocks.place("m"), blocks.place("m"), blocks.place("n")]).toEqual([0, 1, 0])
})
