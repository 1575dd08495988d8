/** docs/script-format.md says what the schema says. */
import { parseScript } from "@steno/model-script"
import { renderJsonSchemas } from "@steno/contracts"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const document = readFileSync(new URL("../../../docs/script-format.md", import.meta.url), "utf8")
const examples = [...document.matchAll(/^```json\n(.*?)^```/gms)].map(([, text = ""]) => text)

const wordsOf = (schema: unknown, inProperties = false): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(inProperties ? [key] : []),
    ...(key === "enum" && !inProperties && Array.isArray(value) ? value.map(String) : []),
    ...wordsOf(value, key === "properties" && !inProperties)
  ])
}

it("every example in it is a script", () => {
  expect(examples.length).toBeGreaterThan(3)
  expect(examples.map(parseScript).filter(Result.isFailure)).toEqual([])
})

it("it names every key and every word of the schema", () => {
  const words = [...new Set(wordsOf(JSON.parse(renderJsonSchemas().get("script.json") ?? "")))]
  expect(words.length).toBeGreaterThan(40)
  expect(words.filter((word) => !new RegExp(`\`[^\`\n]*\\b${word}\\b[^\`\n]*\``).test(document))).toEqual([])
})
