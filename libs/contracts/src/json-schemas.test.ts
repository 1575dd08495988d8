import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventManifest } from "./event/event-manifest.ts"
import { renderJsonSchemas } from "./json-schemas.ts"

const folder = new URL("../schema/", import.meta.url)
const rendered = renderJsonSchemas()

const referencesOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(referencesOf)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : referencesOf(inner)
  )
}

describe("generated JSON Schemas", () => {
  it("are exactly the files in schema/, none missing and none left over", () => {
    expect(readdirSync(folder).sort()).toEqual([...rendered.keys()].sort())
  })

  it.each([...rendered])("%s is up to date (npm run generate -w @steno/contracts)", (name, text) => {
    expect(readFileSync(new URL(name, folder), "utf8")).toBe(text)
  })

  it("cover every durable event and every document of the command line", () => {
    expect([...rendered.keys()].sort()).toEqual(
      [
        ...[...eventManifest.keys()].map((key) => `event.${key}.json`),
        "call-output.json",
        "doctor.json",
        "gc.json",
        "harness-catalog.json",
        "operation.json",
        "policy-confirmation.json",
        "policy.json",
        "problem.json",
        "projection.json",
        "run-export.json",
        "run-list.json",
        "run.json",
        "script.json",
        "transcript.json"
      ].sort()
    )
  })

  it.each([...rendered])("%s names its dialect and resolves every reference inside itself", (_name, text) => {
    const schema = JSON.parse(text) as { readonly $schema: string; readonly $defs?: Record<string, unknown> }
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema")
    for (const reference of referencesOf(schema)) {
      expect(Object.keys(schema.$defs ?? {}).map((key) => `#/$defs/${key}`)).toContain(reference)
    }
  })

  it("never asks for a null where a field may be absent", () => {
    for (const [name, text] of rendered) expect([name, /"null"/.test(text)]).toEqual([name, false])
  })
})
