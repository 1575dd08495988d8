import { expect, it } from "vitest"
import { linted } from "./linted.ts"

it.each(["utils.ts", "path-helpers.ts", "types.ts", "run.types.ts", "misc.ts", "common.ts", "event-v2.ts", "util.test.ts"])(
  "refuses %s: the name does not say what the file holds",
  async (name) => {
    expect(await linted("steno/named-for-content", `libs/ledger/src/${name}`, "export const x = 1")).toHaveLength(1)
  }
)

it.each(["run-writes.ts", "prototypes.ts", "commonmark.ts", "index.ts"])("allows %s", async (name) => {
  expect(await linted("steno/named-for-content", `libs/ledger/src/${name}`, "export const x = 1")).toEqual([])
})
