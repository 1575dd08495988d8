import { DoctorDocument } from "@steno/contracts"
import Database from "better-sqlite3"
import { Schema } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makePlace, type Place, runOf, shell, steno, temporaryFolder } from "./testing.ts"

const decodeDoctor = Schema.decodeUnknownSync(DoctorDocument)
const databaseOf = ({ home }: Place) => join(home, "core.sqlite")
const idsOf = (place: Place): ReadonlyArray<string> =>
  JSON.parse(steno(place, ["run", "list", "--json"]).stdout).rows.map((row: { readonly runId: string }) => row.runId)

/** Six Runs with output; made once, each test gets a copy. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), "steno-cli-")))
const original: Place = { home: join(folder, "home"), workspace: join(folder, "workspace") }
let runIds: ReadonlyArray<string>
let conversationIds: ReadonlyArray<string>

beforeAll(() => {
  mkdirSync(original.workspace)
  const made = shell(original, `for one in 1 2 3 4 5 6; do steno run start -- "echo $one; echo warned >&2" >/dev/null; done`)
  expect(made.stderr).toBe("")
  runIds = idsOf(original)
  conversationIds = readdirSync(join(original.home, "data", "conversations")).sort()
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const copied = (): Place => {
  const place = { home: join(temporaryFolder(), "home"), workspace: original.workspace }
  execFileSync("cp", ["-a", original.home, place.home])
  return place
}

const rootOf = (place: Place, name: string): number => {
  const database = new Database(databaseOf(place))
  database.pragma("wal_checkpoint(TRUNCATE)")
  const root = database.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name)
  database.close()
  return root ?? expect.fail(`no ${name}`)
}

const overwrite = (place: Place, offset: number): void => {
  const bytes = readFileSync(databaseOf(place))
  bytes.fill(0, offset, offset + 4096)
  writeFileSync(databaseOf(place), bytes)
}

/** A home in which the root pages of tables or indexes are zeros. */
const damagedAt = (...names: ReadonlyArray<string>): Place => {
  const place = copied()
  for (const offset of names.map((name) => (rootOf(place, name) - 1) * 4096)) overwrite(place, offset)
  return place
}

const repair = (place: Place) => {
  const { status, stderr, stdout } = steno(place, ["doctor", "--repair", "--json"])
  expect(stderr).toBe("")
  return { status, findings: decodeDoctor(JSON.parse(stdout)).findings }
}
const subjects = (findings: DoctorDocument["findings"], code: string) =>
  findings.filter((finding) => finding.code === code).map(({ subject }) => subject).sort()

/** Each test runs the program many times; a machine that does other things takes its time for that. */
const manyRunsMs = 60_000

describe("a damaged database", { timeout: manyRunsMs }, () => {
  it("is named with its remedy by every command, and never shown as an empty history", () => {
    const place = damagedAt("run")
    const [id = ""] = runIds
    for (const args of [["list"], ["list", "--all"], ["show", id], ["show", "@last"], ["read", id, "--transcript"], ["read", id, "--call", "1"], ["export", id], ["cancel", id], ["start", "--", "true"]]) {
      const { status, stderr, stdout } = steno(place, ["run", ...args])
      expect([args, status, stdout]).toEqual([args, 1, ""])
      expect(stderr).toContain(databaseOf(place))
      expect(stderr).toContain("steno doctor --repair")
    }
    expect(steno(place, ["gc"])).toMatchObject({ status: 1, stderr: expect.stringContaining("steno doctor --repair") })
    const examined = steno(place, ["doctor"])
    expect([examined.status, examined.stdout]).toEqual([1, expect.stringContaining("steno doctor --repair")])
  })

  it("that is gone or empty while Sessions have files is not taken for a new one", () => {
    for (const leave of [(file: string) => rmSync(file), (file: string) => writeFileSync(file, "")]) {
      const place = copied()
      leave(databaseOf(place))
      for (const args of [["run", "list"], ["run", "start", "--", "true"], ["gc"], ["doctor"]]) {
        const { status, stderr, stdout } = steno(place, args)
        expect([args, status]).toEqual([args, 1])
        expect(stdout + stderr).toContain("steno doctor --repair")
      }
      const { findings, status } = repair(place)
      expect([status, subjects(findings, "session-lost")]).toEqual([1, conversationIds])
      expect(steno(place, ["run", "start", "--", "true"]).status).toBe(0)
    }
  })
})

describe("steno doctor --repair", { timeout: manyRunsMs }, () => {
  it("brings back every row around a damaged index, exits 0, and has nothing to do a second time", () => {
    const place = damagedAt("sqlite_autoindex_run_1")
    const damaged = readFileSync(databaseOf(place))
    const { findings, status } = repair(place)
    expect([status, findings.filter(({ severity }) => severity !== "ok")]).toEqual([0, []])
    const [copy = ""] = subjects(findings, "copy")
    expect(readFileSync(copy).equals(damaged)).toBe(true)
    expect(idsOf(place)).toEqual(runIds)
    const before = readFileSync(databaseOf(place))
    const again = repair(place)
    expect(again.status).toBe(0)
    expect(again.findings.find(({ code }) => code === "repair")?.explanation).toContain("nothing was changed")
    expect(readFileSync(databaseOf(place)).equals(before)).toBe(true)
    expect(subjects(again.findings, "copy")).toEqual([copy])
  })

  it("makes rows of files anew from the files", () => {
    const place = damagedAt("asset")
    const shown = runOf(steno(original, ["run", "show", "@last", "--json"]).stdout).calls[0]?.output
    const { findings, status } = repair(place)
    expect([status, findings.filter(({ severity }) => severity !== "ok")]).toEqual([0, []])
    const again = runOf(steno(place, ["run", "show", "@last", "--json"]).stdout).calls[0]?.output
    expect(again).toEqual({ ...shown, path: shown?.path?.replace(original.home, place.home), projection: shown?.projection })
    expect(steno(place, ["run", "read", "@last", "--call", "1", "--raw"]).stdout).toContain("6\n")
  })

  it("makes rows of Runs anew where everything they said is stored a second time", () => {
    const place = damagedAt("run")
    const shown = (at: Place) => steno(at, ["run", "show", "@last", "--json"]).stdout.replaceAll(at.home, "")
    const listed = (at: Place) => steno(at, ["run", "list", "--json"]).stdout
    const { findings, status } = repair(place)
    expect([status, findings.filter(({ severity }) => severity !== "ok")]).toEqual([0, []])
    expect([listed(place), shown(place)]).toEqual([listed(original), shown(original)])
  })

  it("names every Run whose row is lost; each says so when it is asked for", () => {
    const place = damagedAt("run", "operation")
    const { findings, status } = repair(place)
    expect([status, subjects(findings, "run-lost")]).toEqual([1, runIds.toSorted()])
    const shown = steno(place, ["run", "show", runIds[0] ?? "", "--json"])
    expect([shown.status, JSON.parse(shown.stdout).result.problem.code]).toEqual([1, "run-store-damaged"])
  })

  it("names every Session that is lost, and keeps its files", () => {
    const place = damagedAt("session")
    const { findings, status } = repair(place)
    expect([status, subjects(findings, "session-lost")]).toEqual([1, conversationIds])
    expect(subjects(findings, "run-incomplete")).toEqual(runIds.toSorted())
    expect(readdirSync(join(place.home, "data", "conversations")).sort()).toEqual(conversationIds)
  })

  it("of 4 KiB in the middle leaves Runs that are whole and names the others, also when it is asked again", () => {
    const shownOf = (place: Place, id: string) => steno(place, ["run", "show", id, "--json"]).stdout
    const before = new Map(runIds.map((id) => [id, shownOf(original, id)]))
    for (const part of [0.5, 0.85]) {
      const place = copied()
      rootOf(place, "run")
      overwrite(place, Math.floor(readFileSync(databaseOf(place)).length * part))
      const { findings, status } = repair(place)
      const named = findings.filter(({ severity }) => severity === "error").map((finding) => `${finding.subject} ${finding.explanation}`).join("\n")
      expect(status).toBe(named === "" ? 0 : 1)
      for (const id of runIds) {
        if (!named.includes(id)) expect(shownOf(place, id)).toBe(before.get(id)?.replaceAll(original.home, place.home))
      }
      const errors = (found: DoctorDocument["findings"]) => found.filter(({ code, severity }) => severity === "error" && code !== "repair")
      expect(errors(repair(place).findings)).toEqual(errors(findings))
    }
  })

  it("is refused while another process has the home open, which is named", async () => {
    const place = damagedAt("sqlite_autoindex_run_1")
    const holder = spawn(process.execPath, ["-e", `
      const Database = require(${JSON.stringify(join(import.meta.dirname, "../../../node_modules/better-sqlite3"))})
      const database = new Database(${JSON.stringify(databaseOf(place))})
      database.prepare("SELECT count(*) FROM session NOT INDEXED").get()
      console.log("open"); setInterval(() => {}, 1000)`], { stdio: ["ignore", "pipe", "inherit"] })
    await new Promise((resolve) => holder.stdout.once("data", resolve))
    const before = readFileSync(databaseOf(place))
    const refused = steno(place, ["doctor", "--repair", "--json"])
    const ended = new Promise((resolve) => holder.once("exit", resolve))
    holder.kill("SIGKILL")
    await ended
    const problem = JSON.parse(refused.stdout)
    expect([refused.status, problem.code]).toEqual([1, "storage-busy"])
    expect(problem.explanation).toContain(databaseOf(place))
    if (process.platform === "linux") expect(problem.explanation).toContain(`process ${holder.pid}`)
    expect(readFileSync(databaseOf(place)).equals(before)).toBe(true)
    expect(repair(place).status).toBe(0)
  })

  it("makes no home and touches none that is sound", () => {
    const place = makePlace()
    expect(steno(place, ["doctor", "--repair"]).status).toBe(0)
    expect(existsSync(place.home)).toBe(false)
  })
})
