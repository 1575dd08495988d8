import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, shell, steno } from "./testing.ts"

describe("a directory that was removed under the caller", () => {
  const inRemoved = (args: string) => shell(makePlace(), `mkdir gone && cd gone && rmdir ../gone && steno ${args}`)

  it.each([["run list"], ["run show @last"], ["run read @last --call 1"], ["run start -- true"], ["--home relative run list --all"]])(
    "is the Problem workspace-not-found of `steno %s`, without a stack trace",
    (args) => {
      const refused = inRemoved(args)
      expect([refused.status, refused.stdout]).toEqual([1, ""])
      expect(refused.stderr).toMatch(/^Error \[workspace-not-found\]: .+\nRemediation: .+\n$/)
    }
  )

  it("is a JSON document when JSON was asked for", () => {
    const refused = inRemoved("run list --json")
    expect([refused.status, refused.stderr]).toEqual([1, ""])
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: "workspace-not-found" })
  })

  it("does not matter to what names its places absolutely", () => {
    expect(inRemoved("run list --all").status).toBe(0)
    expect(inRemoved("run start --workspace / -- true").status).toBe(0)
  })
})

describe("the home", () => {
  it.each([["--home ''"], ["--home="]])("is never the empty word of `%s`", (option) => {
    const place = makePlace()
    const refused = shell(place, `steno run start ${option} -- true`)
    expect([refused.status, refused.stdout]).toEqual([64, ""])
    expect(refused.stderr).toMatch(/^Error \[usage-invalid\]: Option --home needs a value\.\n/)
    expect(readdirSync(place.workspace)).toEqual([])
  })

  it("of a user without a home directory must be named; nothing is left in the current one", () => {
    const place = makePlace()
    const refused = shell(place, "unset STENO_HOME XDG_DATA_HOME XDG_CACHE_HOME; HOME= steno run start -- true")
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/^Error \[config-invalid\]: .+\nRemediation: Set STENO_HOME /)
    expect(readdirSync(place.workspace)).toEqual([])
  })

  it("below /proc is refused at once", () => {
    const refused = steno({ ...makePlace(), home: "/proc/steno-home" }, ["run", "start", "--json", "--", "true"])
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: "storage-failed", possibleEffects: "none" })
  })

  it("whose data is a file is refused before anything runs", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "true"])
    shell(place, "rm -r \"$STENO_HOME/data\"")
    writeFileSync(join(place.home, "data"), "")
    const refused = steno(place, ["run", "start", "--", "touch made"])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/^Error \[home-permissions\]: .*data is not a folder\.\n/)
    expect(existsSync(join(place.workspace, "made"))).toBe(false)
  })
})
