import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { must, runIn, workspaceRoot } from "./ci-script.ts"

const scratch = mkdtempSync(join(tmpdir(), "steno-ci-run-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const affectedPasses = "echo 'Tests  90 passed (90)'"
const testsPass = "printf '\\033[2m      Tests \\033[22m \\033[1m\\033[32m7 passed\\033[39m\\033[22m (7)\\n Test Files  1 passed (1)\\n'"
const testsFail = "printf '      Tests  2 failed | 5 passed | 1 skipped (8)\\n      Tests  4 passed (4)\\n'; exit 1"

/** A workspace without packages whose scripts say what real ones would. */
const ciRun = async (name: string, affected: string, scripts: Readonly<Record<string, string>>) => {
  const folder = join(scratch, name)
  mkdirSync(join(folder, ".ci"), { recursive: true })
  copyFileSync(join(workspaceRoot, ".ci/run"), join(folder, ".ci/run"))
  writeFileSync(join(folder, ".ci/affected"), `#!/usr/bin/env bash\n${affected}\n`, { mode: 0o755 })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "0.0.0", private: true, scripts }))
  await must(folder, "npm", "install", "--package-lock-only", "--offline")
  const { code, stdout } = await runIn(folder, ".ci/run", [])
  const lines = stdout.trimEnd().split("\n")
  return { code, last: lines.at(-1), stdout }
}

describe(".ci/run", () => {
  it("adds the tests of `npm test` and the counts of the slower suites, and counts the affected run once", async () => {
    const { code, last } = await ciRun("green", affectedPasses, {
      test: testsPass,
      fidelity: "echo '15 passed, 0 failed'",
      crash: "echo '100 passed, 0 failed'",
      selfcheck: "echo '2 passed, 0 failed'"
    })
    expect(last).toBe("124 passed, 0 failed")
    expect(code).toBe(0)
  })

  it("adds failing tests of every project and exits 1", async () => {
    const { code, last } = await ciRun("red", affectedPasses, {
      test: testsFail,
      crash: "echo '98 passed, 2 failed'; exit 1",
      selfcheck: "echo '2 passed, 0 failed'"
    })
    expect(last).toBe("109 passed, 4 failed")
    expect(code).toBe(1)
  })

  it("counts a failing command that counted no failure as one", async () => {
    const { code, last } = await ciRun("broken", "exit 1", { test: testsPass, crash: "echo '3 passed, 0 failed'; exit 7" })
    expect(last).toBe("10 passed, 2 failed")
    expect(code).toBe(1)
  })

  it("counts a command that says nothing countable as one failure", async () => {
    const { code, last } = await ciRun("silent", affectedPasses, { test: "echo no tests", crash: "echo done" })
    expect(last).toBe("0 passed, 2 failed")
    expect(code).toBe(1)
  })

  it("names an absent suite and counts nothing for it", async () => {
    const { code, last, stdout } = await ciRun("absent", affectedPasses, { test: testsPass })
    expect(stdout).toContain("npm run crash: package.json has no such script; nothing is counted")
    expect(last).toBe("7 passed, 0 failed")
    expect(code).toBe(0)
  })

  it("ends with its line, and at once, when the packages cannot be installed", async () => {
    const folder = join(scratch, "unlocked")
    mkdirSync(join(folder, ".ci"), { recursive: true })
    copyFileSync(join(workspaceRoot, ".ci/run"), join(folder, ".ci/run"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "unlocked", scripts: { test: testsPass } }))
    const { code, stdout } = await runIn(folder, ".ci/run", [])
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("0 passed, 1 failed")
    expect(code).toBe(1)
  })
})
