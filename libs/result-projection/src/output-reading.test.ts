import { expect, it } from "vitest"
import { OutputReadings } from "./output-reading.ts"
import { processDiagnostics, processOutputReader, projectReading } from "./process-diagnostics.ts"
import { makeProcessFacts } from "./testing.ts"

const bytes = new TextEncoder().encode(Array.from({ length: 900 }, (_, n) => n === 400 ? "error: bad\n" : `ok ${n}\n`).join(""))

const readingOf = (exitCode: number) => {
  const reader = processOutputReader()
  reader.push(bytes)
  return reader.finish(exitCode)
}

it("a reading that was kept gives the same projection as the output itself", () => {
  const readings = new OutputReadings(2)
  readings.set("sha256:a", 1, readingOf(1))
  const kept = readings.get("sha256:a", 1)
  const projector = processDiagnostics.begin()
  projector.push(bytes)
  const facts = makeProcessFacts({ exitCode: 1 })
  expect(kept === undefined ? undefined : projectReading(kept, facts)).toEqual(projector.finish(facts))
})

it("readings are told apart by digest and exit code, and the one not asked for the longest goes first", () => {
  const readings = new OutputReadings(2)
  readings.set("sha256:a", 0, readingOf(0))
  readings.set("sha256:a", 1, readingOf(1))
  expect(readings.get("sha256:a", undefined)).toBeUndefined()
  expect(readings.get("sha256:a", 0)).toBeDefined()
  readings.set("sha256:b", 0, readingOf(0))
  expect(readings.get("sha256:a", 1)).toBeUndefined()
  expect(readings.get("sha256:a", 0)).toBeDefined()
  expect(readings.get("sha256:b", 0)).toBeDefined()
})
