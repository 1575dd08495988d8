import { retainedOutputUnits } from "@steno/contracts"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { emptyTail, extendTail } from "./retained-tail.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")
const megabyte = 1024 * 1024

describe("the tail of an output", () => {
  it("does not keep alive what was cut off", () => {
    collect()
    const before = process.memoryUsage().heapUsed
    const tails = Array.from({ length: 16 }, (_, at) => extendTail(emptyTail, String(at % 10).repeat(8 * megabyte).toUpperCase()))
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * megabyte)
    expect(new Set(tails.map(({ text }) => text.length))).toEqual(new Set([retainedOutputUnits]))
  })
})
