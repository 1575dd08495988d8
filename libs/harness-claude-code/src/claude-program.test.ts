import { expect, it } from "@effect/vitest"
import { prepareOptions } from "@steno/harness-seam/testing"
import { describe } from "vitest"
import { programArguments, specOf } from "./claude-program.ts"

describe("the program that serves a Turn", () => {
  it("gets the token of the Turn's Agent calls in its environment, where its server finds it, and not among its arguments", () => {
    const environment = { STENO_TOKEN: "secret-of-the-turn" }
    const options = prepareOptions({ agentCallServer: { command: "/bin/steno", arguments: ["serve"], environment } })
    const spec = specOf("/bin/claude", options, programArguments(options))
    expect(spec.variables).toEqual(environment)
    expect(spec.arguments.join(" ")).toContain(`"STENO_TOKEN":"\${STENO_TOKEN}"`)
    expect(spec.arguments.join(" ")).not.toContain(environment.STENO_TOKEN)
  })
})
