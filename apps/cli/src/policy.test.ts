import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, shell, steno } from "./testing.ts"

const withRules = (text: string) => {
  const place = makePlace()
  mkdirSync(join(place.workspace, ".steno"))
  writeFileSync(join(place.workspace, ".steno", "policy.json"), text)
  return place
}

describe("the rules of a workspace, in processes of their own", () => {
  it("are unconfirmed, are confirmed by the digest that is shown, and lose it when the file changes", () => {
    const place = withRules("{\"rules\": [{\"effect\": \"deny\", \"command\": \"rm *\"}]}")
    const layer = () => {
      const shown = steno(place, ["policy", "show", "--json"])
      expect([shown.status, shown.stderr]).toEqual([0, ""])
      const { layers } = JSON.parse(shown.stdout) as { readonly layers: ReadonlyArray<{ readonly layer: string; readonly state: string; readonly digest: string }> }
      return layers.find(({ layer: name }) => name === "workspace")
    }
    const { digest = "", state } = layer() ?? {}
    expect(state).toBe("unconfirmed")
    expect(steno(place, ["policy", "confirm", "--digest", digest]).stdout).toContain(digest)
    expect(layer()?.state).toBe("in-force")
    writeFileSync(join(place.workspace, ".steno", "policy.json"), "{\"rules\": []}")
    expect(layer()?.state).toBe("unconfirmed")
    const refused = steno(place, ["policy", "confirm", "--digest", digest])
    expect([refused.status, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr).toMatch(/^Error \[policy-changed\]: .+\nRemediation: .+\n$/)
  })

  it("that are invalid are refused with the position of the fault", () => {
    const refused = steno(withRules("{\"rules\": [{\"effect\": \"permit\"}]}"), ["policy", "confirm", "--json"])
    expect([refused.status, refused.stderr]).toEqual([1, ""])
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: "policy-invalid", possibleEffects: "none", details: { position: "rules[0].effect" } })
  })

  it("need a directory", () => {
    expect(shell(makePlace(), "mkdir gone && cd gone && rmdir ../gone && steno policy show").stderr).toMatch(/^Error \[workspace-not-found\]/)
    expect(steno(makePlace(), ["policy", "show", "--workspace", "nowhere"]).stderr).toMatch(/^Error \[workspace-not-found\]/)
    expect(steno(makePlace(), ["policy", "show", "--workspace", " "]).status).toBe(64)
  })
})
