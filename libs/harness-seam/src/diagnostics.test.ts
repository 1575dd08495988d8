import { expect, it } from "vitest"
import { Diagnostics } from "./diagnostics.ts"

it("equal ones are counted, long ones cut, and of too many kinds only the number is known", () => {
  const diagnostics = new Diagnostics()
  for (let kind = 0; kind < 70; kind++) diagnostics.note("odd", `${kind}`)
  diagnostics.note("odd", "0")
  expect(diagnostics.all()).toHaveLength(65)
  expect(diagnostics.all()[0]).toEqual({ code: "odd", text: "0", count: 2 })
  expect(diagnostics.all().at(-1)).toEqual({ code: "further-diagnostics", text: "Diagnostics of further kinds", count: 6 })
  const cut = new Diagnostics()
  cut.note("odd", "x".repeat(600))
  expect(cut.all()[0]?.text).toHaveLength(512)
})
