import { readFileSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { readScript } from "@steno/tool-scripted-model"
import { describe, expect, it } from "vitest"
import { harnessPrograms, pinnedVersion } from "./harness-program.ts"
import { headerFile, linesFile, readHeader, readLines, recordingPlaces, scriptFile } from "./recording.ts"
import { tracesOfMachine } from "./redaction.ts"
import { scenariosOf } from "./scenarios.ts"

const places = recordingPlaces()
const sizeLimitBytes = 200 * 1024

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
  } catch {
    return false
  }
}

describe.each(places)("the recording $harness/$scenario", ({ folder, harness, scenario }) => {
  const header = readHeader(folder)
  const lines = readLines(folder)

  it("consists of a header, lines and a model script, and is small", () => {
    expect(readdirSync(folder).toSorted()).toEqual([linesFile, scriptFile, headerFile].toSorted())
    expect(readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThan(sizeLimitBytes)
    expect(readScript(join(folder, scriptFile)).steps.length).toBeGreaterThan(0)
  })

  it("names itself, the pinned version and the command that records it again", () => {
    const program = harnessPrograms.find(({ id }) => id === harness)
    expect(header).toMatchObject({ harness, scenario, protocol: program?.protocol, refresh: `npm run record:live -- ${harness} ${scenario}` })
    expect(header.version).toBe(program && pinnedVersion(program))
  })

  it("holds JSON lines of both directions, in order, of exactly the processes it names", () => {
    expect(lines.map(({ ms }) => ms)).toEqual(lines.map(({ ms }) => ms).toSorted((a, b) => a - b))
    expect(lines.filter(({ direction, line }) => direction !== "err" && !isJsonObject(line))).toEqual([])
    expect(lines.some(({ direction }) => direction === "in")).toBe(true)
    expect(lines.some(({ direction }) => direction !== "in")).toBe(true)
    expect([...new Set(lines.map(({ process }) => process))]).toEqual(header.processes.map((_, index) => index + 1))
  })

  it("was played by the script to its end", () => {
    expect(header.modelRequests.filter(({ outcome }) => outcome === "mismatch")).toEqual([])
  })

  it("holds no trace of the machine it was made on", () => {
    expect(readdirSync(folder).flatMap((name) => tracesOfMachine(readFileSync(join(folder, name), "utf8")))).toEqual([])
  })
})

describe.each(harnessPrograms)("the scenarios of $id", ({ id }) => {
  it("have one recording each, and no recording is of another", () => {
    const recorded = places.filter(({ harness }) => harness === id).map(({ scenario }) => scenario)
    expect(recorded.toSorted()).toEqual(scenariosOf[id].map(({ name }) => name).toSorted())
  })
})
