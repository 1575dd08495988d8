import { assert, describe, it } from "@effect/vitest"
import { IdMinter } from "@steno/contracts"
import { Effect } from "effect"
import { decodeListCursor, encodeListCursor } from "./list-cursor.ts"

describe("a list cursor", () => {
  it.effect("names the Run it was made of", () =>
    Effect.gen(function*() {
      const runId = yield* (yield* IdMinter).mint("run")
      assert.strictEqual(yield* decodeListCursor(encodeListCursor(runId)), runId)
    }))

  it.effect.each(["", "x", "%%%", "WzEsInJ1bl8xIl0", Buffer.from("[2,\"run_0\"]").toString("base64url")])(
    "is refused as cursor-invalid when no list gave it: %j",
    (text) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(decodeListCursor(text))
        assert.strictEqual(error.problem.code, "cursor-invalid")
      })
  )

  it.effect("is refused in another spelling of the same bytes", () =>
    Effect.gen(function*() {
      const runId = yield* (yield* IdMinter).mint("run")
      const padded = Buffer.from(JSON.stringify([1, runId])).toString("base64")
      const error = yield* Effect.flip(decodeListCursor(`${padded} `))
      assert.strictEqual(error.problem.code, "cursor-invalid")
    }))
})
