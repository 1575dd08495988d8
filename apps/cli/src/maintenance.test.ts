import { DoctorDocument, GcDocument } from "@steno/contracts"
import { Schema } from "effect"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, steno } from "./testing.ts"

const doctorOf = (stdout: string) => Schema.decodeUnknownSync(DoctorDocument)(JSON.parse(stdout))
const gcOf = (stdout: string) => Schema.decodeUnknownSync(GcDocument)(JSON.parse(stdout))

describe("steno doctor", () => {
  it("finds nothing wrong with a home in use, and makes no home", () => {
    const place = makePlace()
    expect(steno(place, ["doctor"]).status).toBe(0)
    expect(existsSync(place.home)).toBe(false)
    steno(place, ["run", "start", "--", "true"])
    const examined = steno(place, ["doctor", "--json"])
    expect([examined.status, examined.stderr]).toEqual([0, ""])
    expect(doctorOf(examined.stdout).findings.map(({ severity }) => severity)).not.toContain("error")
  })

  it("exits 1 for a damaged database and leaves it as it is", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "true"])
    writeFileSync(join(place.home, "core.sqlite"), "no database at all".repeat(1_000))
    const examined = steno(place, ["doctor", "--json"])
    expect(examined.status).toBe(1)
    expect(doctorOf(examined.stdout)).toMatchObject({ ok: false })
    expect(steno(place, ["run", "list"]).status).toBe(1)
  })
})

describe("steno gc", () => {
  it("removes exactly what --dry-run said, files included", () => {
    const place = makePlace()
    for (const text of ["one", "two"]) steno(place, ["run", "start", "--", `echo ${text}`])
    expect(gcOf(steno(place, ["gc", "--json"]).stdout)).toMatchObject({ removed: { runs: 0 }, kept: { runs: 2 } })
    const would = gcOf(steno(place, ["gc", "--older-than", "0h", "--dry-run", "--json"]).stdout)
    expect(would).toMatchObject({ removed: { runs: 2 }, kept: { runs: 0, bytes: 0 }, dryRun: true })
    const did = gcOf(steno(place, ["gc", "--older-than", "0h", "--json"]).stdout)
    expect(did).toEqual({ ...would, dryRun: false })
    expect(readdirSync(join(place.home, "data", "conversations"))).toEqual([])
    expect(steno(place, ["run", "list", "--all"]).stdout).toBe("No Runs.\n")
  })

  it("makes no home", () => {
    const place = makePlace()
    expect(steno(place, ["gc", "--older-than", "30d"]).status).toBe(0)
    expect(existsSync(place.home)).toBe(false)
  })
})
