import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { packedProgram } from "../testing/packed-program.ts"

/** Everything that a start of this file of the bundle reads. */
const readAtStart = (file: string, read = new Map<string, string>()): string => {
  if (!read.has(file)) {
    const text = readFileSync(file, "utf8")
    read.set(file, text)
    for (const [, imported = ""] of text.matchAll(/(?:from|import)\s*"(\.{1,2}\/[^"]+)"/g)) readAtStart(join(dirname(file), imported), read)
  }
  return [...read.values()].join("\n")
}

const startOf = (entry: string) => readAtStart(join(packedProgram, "dist", entry))

/** Words that neither can be bundled without. */
const ofTheServer = "notifications/initialized"
const ofTheProduct = "CREATE TABLE"

describe("the bundle", () => {
  it("loads for a command nothing of the server of Agent calls, and for that server nothing of the product", () => {
    const command = startOf("main.js")
    expect([command.includes(ofTheProduct), command.includes(ofTheServer)]).toEqual([true, false])
    const server = startOf("agent-calls/main.js")
    expect([server.includes(ofTheProduct), server.includes(ofTheServer)]).toEqual([false, true])
    expect(server).not.toContain("~effect/")
  })
})
