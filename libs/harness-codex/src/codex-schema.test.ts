import { describe, expect, it } from "vitest"
import { compareSchema, usedItems, usedParts } from "./codex-schema.ts"

const properties = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, { type: "string" }]))
const word = (value: string) => ({ enum: [value], type: "string" })

interface Left {
  readonly withoutMethod?: string
  /** Method or type of an item, and its field. */
  readonly withoutField?: readonly [string, string]
}

/** A schema in the form that Codex generates, without what is left out. */
const schemaWithout = ({ withoutField, withoutMethod }: Left = {}) => {
  const kept = (name: string, fields: ReadonlyArray<string>) =>
    fields.filter((field) => withoutField === undefined || withoutField[0] !== name || withoutField[1] !== field)
  const v2: Record<string, unknown> = {
    ThreadItem: {
      oneOf: Object.entries(usedItems).map(([type, fields]) => ({
        properties: { ...properties(kept(type, fields)), type: word(type) }
      }))
    }
  }
  const unions: Record<string, { oneOf: Array<unknown> }> = {}
  usedParts.filter(({ method }) => method !== withoutMethod).forEach(({ fields, method, of }, at) => {
    v2[`Params${at}`] = { properties: properties(kept(method, fields)) }
    const union = unions[of] ?? { oneOf: [] }
    unions[of] = union
    union.oneOf.push({ properties: { method: word(method), params: { $ref: `#/definitions/v2/Params${at}` } } })
  })
  return { definitions: { ...unions, v2 } }
}

describe("the schema of an installed Codex", () => {
  it("that has what is used lacks nothing", () => {
    expect(compareSchema(schemaWithout())).toEqual({ missing: [], off: [] })
  })

  it.each(usedParts)("without $method is off, or named as missing", ({ capability, method }) => {
    const { missing, off } = compareSchema(schemaWithout({ withoutMethod: method }))
    expect({ missing, off }).toEqual(capability === undefined ? { missing: [method], off: [] } : { missing: [], off: [capability] })
  })

  it("without a field that is used names it", () => {
    expect(compareSchema(schemaWithout({ withoutField: ["turn/start", "input"] })).missing).toEqual(["turn/start without input"])
    expect(compareSchema(schemaWithout({ withoutField: ["turn/diff/updated", "diff"] })).off).toEqual(["turn-diff"])
    expect(compareSchema(schemaWithout({ withoutField: ["commandExecution", "exitCode"] })).missing).toEqual([
      "item commandExecution without exitCode"
    ])
  })

  it.each([undefined, null, 1, "text", [], {}, { definitions: null }])("that is %j lacks everything and throws nothing", (schema) => {
    const { missing } = compareSchema(schema)
    expect(missing).toContain("turn/start")
    expect(missing).toContain("item agentMessage without id, text")
  })
})
