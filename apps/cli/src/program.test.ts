import { CallOutput, Problem, RunListDocument } from "@steno/contracts"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, runOf, shell, steno } from "./testing.ts"

const problemOf = (stdout: string) => Schema.decodeUnknownSync(Problem)(JSON.parse(stdout))
const listOf = (stdout: string) => Schema.decodeUnknownSync(RunListDocument)(JSON.parse(stdout))
const outputOf = (stdout: string) => Schema.decodeUnknownSync(CallOutput)(JSON.parse(stdout))

describe("steno run start", () => {
  it("exits 1 for a command that exits 3, and says so in one JSON document", () => {
    const place = makePlace()
    const started = steno(place, ["run", "start", "--harness", "command", "--json", "--", "printf 'out\\n'; printf 'err\\n' >&2; exit 3"])
    expect(started.status).toBe(1)
    expect(started.stderr).toBe("")
    expect(started.stdout.endsWith("}\n")).toBe(true)
    const run = runOf(started.stdout)
    expect([run.state, run.calls[0]?.outcome, run.calls[0]?.exitCode]).toEqual(["failed", "completed", 3])
    const path = run.calls[0]?.output?.path ?? ""
    expect(readFileSync(path, "utf8")).toBe("out\nerr\n")
    expect(readFileSync(join(dirname(path), "stdout.txt"), "utf8")).toBe("out\n")
    expect(readFileSync(join(dirname(path), "stderr.txt"), "utf8")).toBe("err\n")

    const shown = steno(place, ["run", "show", "@last", "--json"])
    expect(shown.status).toBe(0)
    expect(runOf(shown.stdout)).toEqual(run)

    const list = listOf(steno(place, ["run", "list", "--json"]).stdout)
    expect(list.rows.map((row) => [row.runId, row.state, row.live])).toEqual([[run.runId, "failed", false]])

    const read = steno(place, ["run", "read", "@last", "--call", "1", "--stream", "stderr", "--json"])
    expect(outputOf(read.stdout)).toMatchObject({ lines: ["err"], totalLines: 1, complete: true, status: "completed" })
    expect(steno(place, ["run", "read", "@last", "--call", "1", "--raw"]).stdout).toBe("out\nerr\n")
  })

  it("in plain text names the Run, its end and what was printed, and exits 0 on success", () => {
    const place = makePlace()
    const started = steno(place, ["run", "start", "--", "echo", "hello"])
    expect(started.status).toBe(0)
    expect(started.stdout).toMatch(/run_[0-9A-Z]{26}/)
    expect(started.stdout).toMatch(/succeeded/)
    expect(started.stdout).toMatch(/hello/)
  })

  it("takes the command from stdin for -, and every word after -- as it is", () => {
    const place = makePlace()
    expect(runOf(steno(place, ["run", "start", "--json", "-"], "echo from stdin\n").stdout).calls[0]?.input).toBe("echo from stdin\n")
    expect(runOf(steno(place, ["run", "start", "--json", "--", "echo", "--json", "--help"]).stdout).calls[0]?.input).toBe("echo --json --help")
  })
})

describe("a mistake", () => {
  const usage: ReadonlyArray<ReadonlyArray<string>> = [
    ["run", "start"],
    ["run", "start", "--nonsense", "--", "true"],
    ["run", "start", "--timeout-ms", "soon", "--", "true"],
    ["run", "nonsense"],
    ["nonsense"],
    ["run", "show"],
    ["run", "read", "@last"],
    ["run", "read", "@last", "--call", "1", "--stream", "nonsense"]
  ]
  it.each(usage.map((args) => [args.join(" "), args] as const))("in `steno %s` is wrong usage: exit 64, nothing on stdout, no stack trace", (_, args) => {
    const refused = steno(makePlace(), args)
    expect(refused.status).toBe(64)
    expect(refused.stdout).toBe("")
    expect(refused.stderr).toMatch(/^Error \[usage-invalid\]: .+\nRemediation: .+/)
    expect(refused.stderr).not.toMatch(/\n\s+at /)
  })

  it.each([
    ["unknown Run", ["run", "show", "run_01ARZ3NDEKTSV4RRFFQ69G5FAV"], "run-not-found"],
    ["missing workspace", ["run", "start", "--workspace", "/nowhere/at/all", "--", "true"], "workspace-not-found"],
    ["unknown harness", ["run", "start", "--harness", "nobody", "--", "true"], "harness-unknown"],
    ["blank input", ["run", "start", "--", " "], "input-blank"],
    ["limit", ["run", "list", "--limit", "0"], "limit-invalid"],
    ["cursor", ["run", "list", "--before", "x"], "cursor-invalid"]
  ])("(%s) is a Problem: exit 1, on stderr, or as the JSON document", (_, args, code) => {
    const place = makePlace()
    const plain = steno(place, args)
    expect([plain.status, plain.stdout]).toEqual([1, ""])
    expect(plain.stderr).toMatch(new RegExp(`^Error \\[${code}\\]: [^]+\nRemediation: .+`))
    const at = args.indexOf("--")
    const json = steno(place, at === -1 ? [...args, "--json"] : [...args.slice(0, at), "--json", ...args.slice(at)])
    expect([json.status, json.stderr]).toEqual([1, ""])
    const document = JSON.parse(json.stdout)
    expect((document.result?.problem ?? document.problem ?? problemOf(json.stdout)).code).toBe(code)
  })

  it("in a home that does not exist yet creates none", () => {
    const place = makePlace()
    expect(listOf(steno(place, ["run", "list", "--json"]).stdout)).toMatchObject({ rows: [], empty: true, beginningOfHistory: true })
    expect(shell(place, "test -e \"$STENO_HOME\" && echo created").stdout).toBe("")
  })
})

describe("pipes", () => {
  it("a reader that goes away ends the program quietly", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "seq 1 50"])
    const piped = shell(place, "steno run show @last | head -1; echo \"${PIPESTATUS[*]}\"")
    expect(piped.stderr).toBe("")
    expect(piped.stdout.split("\n")).toHaveLength(3)
    expect(piped.stdout).toMatch(/\n0 0\n$/)
  })

  it("a reader gets every byte of a document of 5 MB", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "head -c 60000 /dev/zero | tr '\\0' x > line; for i in $(seq 100); do cat line; echo; done"])
    const piped = shell(place, "steno run read @last --call 1 --limit 100 --json | cat")
    expect(piped.stdout.length).toBeGreaterThan(5_000_000)
    const page = outputOf(piped.stdout)
    expect(page.lines).toHaveLength(100)
    expect(page.lines.every((line) => line.length === 60_000)).toBe(true)
  })
})

describe("help", () => {
  it.each([["--help"], ["run", "--help"], ["run", "start", "--help"], ["run", "show", "--help"], ["run", "list", "--help"], ["run", "read", "--help"]])(
    "on `steno %s %s` shows an example on stdout with exit code 0",
    (...args) => {
      const shown = steno(makePlace(), args.filter((word) => word !== undefined))
      expect(shown.status).toBe(0)
      expect(shown.stdout).toMatch(/Example:\n\s+steno /)
      expect(shown.stderr).toBe("")
    }
  )
})
