import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { LateSegmenter } from "../scripts/late-segmenter.ts"
import { packedProgram } from "./testing/packed-program.ts"

/** Everything that this file of the bundle reads when it is loaded. */
const readAtStart = (file: string, read = new Map<string, string>()): string => {
  if (!read.has(file)) {
    const text = readFileSync(file, "utf8")
    read.set(file, text)
    for (const [, imported = ""] of text.matchAll(/(?:from|import)\s*"(\.{1,2}\/[^"]+)"/g)) readAtStart(join(dirname(file), imported), read)
  }
  return [...read.values()].join("\n")
}

const dist = join(packedProgram, "dist")

const files = () => readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"))

const startOf = (entry: string) => readAtStart(join(dist, entry))

/** The one file whose name begins so. */
const named = (begin: string): string => {
  const found = readdirSync(dist).filter((file) => file.startsWith(begin))
  expect(found).toHaveLength(1)
  return found.join("")
}

/** Words that neither can be bundled without. */
const ofTheServer = "notifications/initialized"
const ofTheRecord = "CREATE TABLE"

describe("the bundle", () => {
  it("loads for a command nothing of the server of Agent calls, and for that server nothing of the product", () => {
    const command = startOf(named("runtime-layer-"))
    expect([command.includes(ofTheRecord), command.includes(ofTheServer)]).toEqual([true, false])
    const server = startOf("agent-calls/main.js")
    expect([server.includes(ofTheRecord), server.includes(ofTheServer)]).toEqual([false, true])
    expect(server).not.toContain("~effect/")
  })

  it("loads the record for what opens a home, and not for help, wrong usage, or an agent that gets a head start", () => {
    for (const file of ["main.js", named("codex-agent-"), named("claude-code-agent-"), named("acp-agent-")]) {
      expect(startOf(file)).not.toContain(ofTheRecord)
    }
  })

  it("is text that Node keeps in one byte a character", () => {
    for (const file of files()) {
      expect(readFileSync(join(dist, file), "utf8"), file).toMatch(/^[\u0000-\u007f]*$/)
    }
  })

  it("makes no segmenter while it is loaded; the one that stands in cuts as the platform's does", () => {
    const text = "👨‍👩‍👧é!"
    const cut = (segmenter: Pick<Intl.Segmenter, "segment">) => [...segmenter.segment(text)].map(({ segment }) => segment)
    const late = new LateSegmenter("en", { granularity: "grapheme" })
    expect(cut(late)).toEqual(["👨‍👩‍👧", "é", "!"])
    expect(cut(late)).toEqual(cut(new Intl.Segmenter("en", { granularity: "grapheme" })))
    expect(files().filter((file) => readFileSync(join(dist, file), "utf8").includes("new Intl.Segmenter"))).toEqual([])
  })
})
