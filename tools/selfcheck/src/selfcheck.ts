/**
 * Runs two libraries' own tests in a clone through `steno run start`, once green, once with a test broken on purpose.
 *
 * Owns: that state, exit code, counts and projection are right on real input.
 * Prints one line per check and ends with `N passed, N failed`.
 */
import { RunDocument } from "@steno/contracts"
import { Schema } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "steno-selfcheck-"))
const clone = join(scratch, "clone")
const libraries = ["contracts", "result-projection"]
const decodeRun = Schema.decodeUnknownSync(RunDocument)

let passed = 0
let failed = 0
const check = (claim: string, holds: boolean, found?: unknown) => {
  if (holds) passed++
  else failed++
  process.stdout.write(`${holds ? "ok  " : "FAIL"} ${claim}${holds ? "" : `: ${JSON.stringify(found)}`}\n`)
}

/** A clone that shares the installed packages, with its own copies of the workspace's libraries. */
const makeClone = () => {
  execFileSync("git", ["clone", "--quiet", workspace, clone])
  const modules = join(clone, "node_modules")
  mkdirSync(join(modules, "@steno"), { recursive: true })
  for (const entry of readdirSync(join(workspace, "node_modules"))) {
    if (entry !== "@steno") symlinkSync(join(workspace, "node_modules", entry), join(modules, entry))
  }
  for (const library of readdirSync(join(clone, "libs"))) {
    symlinkSync(join(clone, "libs", library), join(modules, "@steno", library))
  }
}

const runTests = () => {
  const command = libraries.map((library) => `npm test -w @steno/${library}`).join(" && ")
  const steno = join(workspace, "apps", "cli", "bin", "steno.js")
  const result = spawnSync(
    process.execPath,
    [steno, "--home", join(scratch, "home"), "run", "start", "--harness", "command", "--workspace", clone, "--json", "--", command],
    { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } }
  )
  const document = decodeRun(JSON.parse(result.stdout))
  if (!document.result.found) throw new Error(`The Run was refused: ${document.result.problem.explanation}`)
  return { status: result.status, run: document.result.run }
}

const checkOutput = (name: string, run: ReturnType<typeof runTests>["run"]) => {
  const output = run.calls[0]?.output
  const path = output?.path
  check(`${name}: the output lies in a file`, path !== undefined, output)
  if (output === undefined || path === undefined) return
  const text = readFileSync(path, "utf8")
  check(`${name}: bytes are those of the file`, statSync(path).size === output.bytes, [statSync(path).size, output.bytes])
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  check(`${name}: lines are those of the file`, lines === output.lines, [lines, output.lines])
}

try {
  makeClone()

  const green = runTests()
  const greenCall = green.run.calls[0]
  check("green: steno exits 0", green.status === 0, green.status)
  check("green: the Run succeeded", green.run.state === "succeeded", green.run.state)
  check("green: the call completed with exit code 0", greenCall?.outcome === "completed" && greenCall.exitCode === 0, greenCall)
  check("green: the projection shows the tests passed", /Tests\s+\d+ passed/.test(greenCall?.output?.projection ?? ""), greenCall?.output?.projection)
  checkOutput("green", green.run)

  writeFileSync(
    join(clone, "libs", "result-projection", "src", "broken-on-purpose.test.ts"),
    `import { expect, it } from "vitest"\n\nit("is broken on purpose", () => {\n  expect(1).toBe(2)\n})\n`
  )
  const broken = runTests()
  const brokenCall = broken.run.calls[0]
  check("broken: steno exits 1", broken.status === 1, broken.status)
  check("broken: the Run failed", broken.run.state === "failed", broken.run.state)
  check("broken: the call completed with exit code 1", brokenCall?.outcome === "completed" && brokenCall.exitCode === 1, brokenCall)
  check("broken: the projection counts the failed test", /Tests\s+1 failed/.test(brokenCall?.output?.projection ?? ""), brokenCall?.output?.projection)
  checkOutput("broken", broken.run)
  check("both calls are on record as bash", [greenCall, brokenCall].every((call) => call?.tool === "bash"))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
