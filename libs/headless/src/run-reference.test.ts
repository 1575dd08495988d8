import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { splitReference } from "./run-reference.ts"

describe("RUN and RUN/SESSION", () => {
  it.each([
    ["@last", { run: "@last" }],
    ["run_01ARZ3NDEKTSV4", { run: "run_01ARZ3NDEKTSV4" }],
    ["@last/main", { run: "@last", session: "main" }],
    ["run_1/two words", { run: "run_1", session: "two words" }]
  ])("%j is read as %j", (text, reference) => {
    expect(Result.getOrThrow(splitReference(text))).toEqual(reference)
  })

  it.each(["/", "/main", "@last/", "@last/ ", "@last/a/b"])("%j names nothing", (text) => {
    expect(Result.getFailure(splitReference(text))).toMatchObject({ value: `"${text}" is not RUN or RUN/SESSION.` })
  })

  it.each(["", " ", "\t"])("%j is no RUN", (text) => {
    expect(Result.getFailure(splitReference(text))).toMatchObject({ value: "RUN must not be blank." })
  })
})
