import { describe, expect, it } from "vitest"
import { makeFileFacts, projectOutput } from "./testing.ts"

const repeat = <A>(count: number, text: (index: number) => A): ReadonlyArray<A> => Array.from({ length: count }, (_, index) => text(index + 1))
const output = (...parts: ReadonlyArray<string | ReadonlyArray<string>>): string => `${parts.flat().join("\n")}\n`

/** Lines of the file that are shown of an output that was printed by a command that exited with `exitCode`. */
const shownOf = (text: string, exitCode = 1): ReadonlyArray<number> => projectOutput(text, { exitCode }).decision.kept.map(({ line }) => line)
const lineOf = (text: string, part: string): number => text.split("\n").findIndex((line) => line.includes(part)) + 1
const shows = (text: string, parts: ReadonlyArray<string>, exitCode = 1) =>
  expect(shownOf(text, exitCode)).toEqual(expect.arrayContaining(parts.map((part) => lineOf(text, part))))

describe("what is chosen of an output that does not fit", () => {
  it("the one error among thousands of equals, with the first and the last line", () => {
    const text = output(repeat(10_000, (line) => line === 5_000 ? "src/a.c:10:5: error: bad" : `ok ${line}`))
    const { agent } = projectOutput(text, { exitCode: 1 })
    expect(agent).toContain("\n5000: src/a.c:10:5: error: bad\n")
    expect(shownOf(text)).toEqual(expect.arrayContaining([1, 5_000, 10_000]))
  })

  it("a line of another shape, though no word of it is alarming", () => {
    const text = output(repeat(300, (line) => `item ${line} stored`), "quota reached at 4096 of 4096", repeat(300, (line) => `item ${line} stored`))
    shows(text, ["quota reached"])
  })

  it("the first errors of a cascade before the later ones", () => {
    const text = output(repeat(400, (line) => `src/part-${line}.ts(5,3): error TS2339: Property 'p${line}' does not exist on type 'Order'.`))
    const shown = shownOf(text)
    expect(shown).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6, 400]))
    expect(shown.filter((line) => line > 20 && line < 400).length).toBeLessThanOrEqual(1)
  })

  it("the error and not what only sounds like one: counts of zero, passed tests, names of files, awaited and repeated attempts", () => {
    const decoys = repeat(400, (line) =>
      [`ok ${line} - rejects an error`, `batch ${line}: 0 errors, 0 failed`, `copied src/error-${line}.ts`, `attempt ${line} failed, retrying`, `x${line} raises TypeError (expected)`][line % 5] ?? "")
    const text = output(decoys.slice(0, 250), "TypeError: total is not a function", "    at price (/srv/app/price.js:4:9)", decoys.slice(250))
    const shown = shownOf(text).map((line) => text.split("\n")[line - 1] ?? "")
    expect(shown).toEqual(expect.arrayContaining(["TypeError: total is not a function", "    at price (/srv/app/price.js:4:9)"]))
    expect(shown.filter((line) => /0 errors|copied/.test(line)).length).toBeLessThanOrEqual(3)
  })

  it("the frame of the program before those of its libraries", () => {
    const text = output(
      repeat(200, (line) => `GET /orders/${line} 200`),
      "Error: no rule for 'fee.eur'",
      "    at Rules.find (/srv/app/node_modules/rules/index.js:10:3)",
      "    at emit (node:events:519:28)",
      "    at charge (/srv/app/src/charge.js:31:7)",
      "    at run (node:internal/main:28:49)",
      repeat(200, (line) => `GET /orders/${line} 200`)
    )
    shows(text, ["no rule for", "src/charge.js"])
  })

  it("what was awaited and what came instead", () => {
    const text = output(repeat(150, (line) => `  ✓ adds ${line}`), "  ● totals › rounds up", "", "    Expected: 250", "    Received: 1250", "", repeat(150, (line) => `  ✓ takes ${line}`), "Tests: 1 failed, 300 passed, 301 total")
    shows(text, ["rounds up", "Expected: 250", "Received: 1250", "1 failed, 300 passed"])
  })

  it("the heading that an error stands under, however far above", () => {
    const warnings = (file: number) => [`/srv/app/src/part-${file}.js`, ...repeat(30, (line) => `  ${line}:7  warning  'a${line}' is never used  no-unused`)]
    const text = output(repeat(10, (file) => warnings(file)).flat(), warnings(77), "  31:2  error    'discountFor' is not defined  no-undef", repeat(10, (file) => warnings(file)).flat(), "✖ 631 problems (1 error, 630 warnings)")
    shows(text, ["discountFor", "part-77.js", "631 problems"])
  })

  it("where an echoed script leaves its routine, though nothing says that it failed", () => {
    const step = (n: number) => [`+ mkdir -p /srv/svc-${n}`, `++ grep '^PORT=' /srv/svc-${n}/.env`, `+ PORT=80${n}`, `+ echo 'svc-${n} listens'`, `svc-${n} listens`]
    const text = output(repeat(40, step).flat(), "+ mkdir -p /srv/svc-41", "++ grep '^PORT=' /srv/svc-41/.env", "+ cleanup", "+ rm -rf /srv/svc", repeat(40, (n) => `rolled back svc-${n}`), "+ exit 1")
    shows(text, ["svc-41/.env", "+ cleanup", "+ exit 1"])
  })

  it("how far it got before the first error", () => {
    const text = output(repeat(330, (n) => `imported batch ${n} (${n * 12} rows)`), "", "<--- Last few GCs --->", "", "FATAL ERROR: Reached heap limit Allocation failed", " 1: 0xb7a1e0 node::Abort()", " 2: 0xb7a2e0 [node]")
    shows(text, ["FATAL ERROR", "imported batch 330"])
  })

  it("the record whose level is higher, in a log of JSON", () => {
    const record = (n: number, level = 30, msg = "request completed") => JSON.stringify({ level, time: n, reqId: `r-${n}`, errors: [], msg })
    const text = output(repeat(300, (n) => record(n)), record(301, 50, "payload is no JSON"), repeat(300, (n) => record(301 + n)))
    shows(text, ["payload is no JSON"], 0)
  })

  it("both ends when nothing is wrong", () => {
    expect(shownOf(output(repeat(500, (n) => `file ${n}`)), 0)).toEqual([1, 2, 3, 4, 5, 490, 491, 492, 493, 494, 495, 496, 497, 498, 499, 500])
  })

  it("the decisive line of a capped file, wherever it stands to the gap", () => {
    const gap = "[… 5000000 bytes not captured …]"
    for (const place of [100, 299, 301, 500]) {
      const lines = repeat(600, (n) => n === 300 ? gap : n === place ? "worker: FATAL cannot open segment 7" : `replayed segment ${n}`)
      const { agent } = projectOutput(output(lines), { exitCode: 1, capture: { stdout: makeFileFacts(), stderr: makeFileFacts(), output: makeFileFacts({ observedBytes: 6_000_000, droppedBytes: 5_000_000, observedLines: 90_000 }) } })
      expect(agent).toContain(`\n${place}: worker: FATAL cannot open segment 7\n`)
      expect(agent).toContain("5000000 bytes were not captured")
    }
  })

  it("says how many lines sound like errors and how many of them are shown", () => {
    const text = output(repeat(100, (n) => `ok ${n}`), repeat(50, (n) => `error: unit ${n} is down`))
    expect(projectOutput(text, { exitCode: 1 }).agent).toMatch(/\n(\d+) lines are shown of 150 lines, \d+ bytes; \d+ of 50 lines that sound like errors\.\n/)
  })
})

describe("a line that is too long to be shown", () => {
  const record = (n: number, severity: number, message: string) => `{"ruleId":"no-var","severity":${severity},"message":"${message}","line":${n},"column":3}`

  it("keeps the part that stands out, with the file it belongs to", () => {
    const files = repeat(200, (file) =>
      `{"filePath":"/srv/app/src/part-${file}.js","messages":[${repeat(20, (n) => file === 120 && n === 9 ? record(n, 2, "'discountFor' is not defined.") : record(n, 1, "Unexpected var.")).join(",")}]}`)
    const { agent, decision } = projectOutput(`[${files.join(",")}]\n`, { exitCode: 1 })
    expect(agent).toContain("'discountFor' is not defined.")
    expect(agent).toContain("/srv/app/src/part-120.js")
    expect(decision.payloadBytes).toBeLessThanOrEqual(4_000)
  })

  it("adds up: what is shown and what is said to be left out", () => {
    const text = `[${repeat(5_000, (n) => record(n, n === 3_000 ? 2 : 1, "Unexpected var.")).join(",")}]`
    const line = /^1: (.*)$/m.exec(projectOutput(text, { exitCode: 1 }).agent)?.[1] ?? ""
    const parts = line.split(/ \[…\d+ bytes left out…\] /)
    const leftOut = [...line.matchAll(/ \[…(\d+) bytes left out…\] /g)].reduce((sum, match) => sum + Number(match[1]), 0)
    expect(parts.length).toBeGreaterThan(2)
    expect(Buffer.byteLength(parts.join("")) + leftOut).toBe(Buffer.byteLength(text))
    let at = 0
    for (const part of parts) at = text.indexOf(part, at) + part.length
    expect(at).toBe(text.length)
  })
})
