import { toolPolicies } from "@steno/result-projection"
import { describe, expect, it } from "vitest"
import { toolCatalog, toolDefinitions } from "./catalog.ts"
import type { OfferedTool, ToolEntry } from "./tool-entry.ts"

const entries: ReadonlyArray<ToolEntry> = Object.values(toolCatalog)

type Row = readonly [tool: OfferedTool, fields: string, risk: string, replaySafe: boolean, suspends: boolean]

const table: ReadonlyArray<Row> = [
  ["read", "path, offset?, limit?", "read", true, false],
  ["grep", "pattern, path?, glob?, literal?, ignoreCase?, context?, limit?", "read", true, false],
  ["find", "pattern, path?, limit?", "read", true, false],
  ["ls", "path?, limit?", "read", true, false],
  ["write", "path, content", "write", false, false],
  ["edit", "path, edits[] {oldText, newText}, dryRun?", "write", false, false],
  ["bash", "command, cwd?, env?, timeoutSeconds?", "execute", false, false],
  ["ask_user", "questions[] {id, prompt, header?, options[] {label, description?}, multiSelect?, allowText?}", "none", false, true],
  ["run_done", "reason", "none", false, false],
  ["run_failed", "reason", "none", false, false]
]

interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly additionalProperties?: unknown
}

/** `path, edits[] {oldText, newText}, dryRun?` */
const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): string =>
  Object.entries(properties).map(([name, field]) => {
    const inner = field.items?.properties === undefined ? "" : ` {${fieldsOf(field.items)}}`
    return `${name}${required.includes(name) ? "" : "?"}${field.items === undefined ? "" : `[]${inner}`}`
  }).join(", ")

const objectsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => [
  ...(schema.properties === undefined ? [] : [schema]),
  ...Object.values(schema.properties ?? {}).flatMap(objectsOf),
  ...(schema.items === undefined ? [] : objectsOf(schema.items))
]

const schemaOf = (tool: OfferedTool): JsonSchema => {
  const definition = toolDefinitions().find(({ name }) => name === tool)
  if (definition === undefined) throw new Error(`${tool} has no definition`)
  return definition.inputSchema
}

describe("the catalog", () => {
  it("offers exactly these tools", () => {
    expect(entries.map(({ name }) => name)).toEqual(table.map(([tool]) => tool))
    expect(Object.keys(toolCatalog)).toEqual(table.map(([tool]) => tool))
  })

  it.each(table)("%s takes %s, has risk %s, is replay-safe %s, suspends %s, and its own policy", (tool, fields, risk, replaySafe, suspends) => {
    expect(fieldsOf(schemaOf(tool))).toBe(fields)
    expect(toolCatalog[tool]).toMatchObject({ risk, replaySafe, suspends })
    expect(toolCatalog[tool].policy).toBe(toolPolicies[tool])
  })

  it("calls replay-safe exactly what only reads and asks nobody", () => {
    for (const { replaySafe, risk, suspends } of entries) expect(replaySafe).toBe(risk === "read" && !suspends)
  })

  it("tells a model what each tool and each field is, in few words", () => {
    for (const { description, name } of entries) {
      expect(description.length).toBeGreaterThan(40)
      expect(description.length).toBeLessThan(400)
      for (const { additionalProperties, properties = {} } of objectsOf(schemaOf(name))) {
        expect(additionalProperties).toBe(false)
        const described = Object.entries(properties).filter(([, field]) => field.description !== undefined)
        expect(described.map(([field]) => field)).toEqual(Object.keys(properties))
      }
    }
  })
})
