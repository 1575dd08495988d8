import { spawn } from "node:child_process"
import { describe, expect, it } from "vitest"
import { isYounger } from "./command-kin.ts"
import { kinOf, type KinTarget } from "./process-kin.ts"
import { commandLine, parseStat, type ProcessEntry, readProcess } from "./process-table.ts"

const stat = (pid: number, name: string, rest: string) => `${pid} (${name}) ${rest}`
const fields = "S 1 40 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2 3"

describe("parseStat", () => {
  it("counts fields after the last bracket of a name that holds brackets and blanks", () => {
    const entry = parseStat(stat(42, "a) S 9 (b", fields))
    expect(entry).toMatchObject({ pid: 42, name: "a) S 9 (b", state: "S", parent: 1, group: 40, session: 40, startTime: "987654" })
  })

  it("gives nothing for a text that is no stat line", () => {
    expect(parseStat("")).toBeUndefined()
    expect(parseStat("42 (x) S 1")).toBeUndefined()
  })

  it("reads this process", () => {
    expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid })
    expect(readProcess(2 ** 30)).toBeUndefined()
  })
})

const entry = (pid: number, parent: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parent,
  group: pid,
  session: pid,
  state: "S",
  startTime: String(pid),
  name: "x",
  isExiting: false,
  waitStatus: 0,
  ...more
})
const target = (more: Partial<KinTarget> = {}): KinTarget => ({
  root: { pid: 100, startTime: "100" },
  recorded: new Map(),
  session: "ours",
  self: 7,
  ...more
})
const pids = (entries: ReadonlyArray<ProcessEntry>, wanted: KinTarget, marked: ReadonlyArray<number> = []) =>
  kinOf(entries, wanted, new Set(marked)).map((one) => one.pid).toSorted((one, other) => one - other)

describe("kinOf", () => {
  it("takes the shell, its session, its group and all descendants", () => {
    const table = [entry(100, 7), entry(101, 1, { session: 100 }), entry(102, 1, { group: 100 }), entry(103, 102), entry(104, 1)]
    expect(pids(table, target())).toEqual([100, 101, 102, 103])
  })

  it("takes carriers of the marker and recorded processes, also after they left tree and session", () => {
    const table = [entry(200, 1), entry(201, 1), entry(202, 201)]
    expect(pids(table, target({ recorded: new Map([[200, "200"]]) }), [201])).toEqual([200, 201, 202])
  })

  it("leaves a stranger that got the pid of the shell or of a recorded process", () => {
    const table = [entry(100, 1, { startTime: "900" }), entry(900, 100, { session: 100 }), entry(200, 1, { startTime: "901" })]
    expect(pids(table, target({ recorded: new Map([[200, "200"]]) }))).toEqual([])
  })

  it("takes an unwatched session only if someone known is inside", () => {
    const daemon = entry(300, 1, { session: 100 })
    const unwatched = target({ session: "if-witnessed" })
    expect(pids([daemon], unwatched)).toEqual([])
    expect(pids([daemon, entry(301, 1, { session: 100 })], unwatched, [301])).toEqual([300, 301])
  })

  it("never names this process or init", () => {
    const table = [entry(1, 0, { session: 100, startTime: "500" }), entry(7, 100), entry(100, 7)]
    expect(pids(table, target())).toEqual([100])
  })
})

describe("isYounger", () => {
  it("goes round at the end of the pids", () => {
    expect([5, 10, 15].map((pid) => isYounger(pid, 8, 12))).toEqual([false, true, false])
    expect([5, 10, 15].map((pid) => isYounger(pid, 12, 8))).toEqual([true, false, true])
  })
})

describe("commandLine", () => {
  it("is one line of at most the asked length, without control characters", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log()", `a\nb\u001b[1m${"😀".repeat(200)}`], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    await new Promise((resolve) => child.stdout.once("data", resolve))
    const found = readProcess(child.pid ?? 0)
    const line = found === undefined ? "" : commandLine(found, 200)
    child.kill("SIGKILL")
    expect(line.length).toBeGreaterThan(190)
    expect(line.length).toBeLessThanOrEqual(200)
    expect(line.isWellFormed()).toBe(true)
    expect(line).toContain("a b [1m😀")
  })
})
