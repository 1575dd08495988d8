import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

it("the ten lines of the README shorten a log to the lines that say most of it", async () => {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8")
  const code = /```ts\n([^]*?)```/.exec(readme)?.[1] ?? ""
  expect(code.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10)
  const folder = await mkdtemp(join(tmpdir(), "steno-readme-"))
  const script = join(import.meta.dirname, `readme-${process.pid}.ts`)
  try {
    const log = join(folder, "build.log")
    await writeFile(log, Array.from({ length: 5_000 }, (_, n) => n === 2_500 ? "error: link failed\n" : `compiled unit ${n}\n`).join(""))
    await writeFile(script, code)
    const { stdout } = await promisify(execFile)(process.execPath, [script, log])
    expect(stdout).toContain("\n2501: error: link failed\n")
    expect(stdout).toContain(log)
  } finally {
    await rm(script, { force: true })
    await rm(folder, { recursive: true })
  }
})
