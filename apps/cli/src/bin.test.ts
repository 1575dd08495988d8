import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, packedBin, plainEnvironment, runOf, sourceBin, temporaryFolder } from "./testing.ts"

/** Makes a new Node answer as an old one; the packaged Node that goes on is not told. */
const asNode20 = ["--import", "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.0.0'})"]

/** An older Node on this machine's PATH, outside of any node_modules. */
const olderNode = (plainEnvironment()["PATH"] ?? "").split(":").map((folder) => join(folder, "node")).find((path) => {
  if (!existsSync(path)) return false
  const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout
  return Number(/^v(\d+)/.exec(version)?.[1]) < 22
})

const starts: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["a Node that says it is 20", process.execPath, asNode20],
  ...(olderNode === undefined ? [] : [["the machine's own older Node", olderNode, []] as const])
]

/** Makes many values, some of which last for a moment, and prints how much space the young ones had before and have after that. */
const tellingYoungBytes = ["--import", `data:text/javascript,${encodeURIComponent(`
  import { getHeapSpaceStatistics } from "node:v8"
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size
  process.on("exit", () => {
    const before = young()
    let kept = []
    for (let index = 0; index < 400_000; index++) {
      if (kept.length === 50_000) kept = []
      kept.push({ index, values: [index] })
    }
    process.stderr.write(JSON.stringify([before, young()]))
  })
`)}`]

describe("the bin", () => {
  it("holds no more memory for values that live for a moment once it is loaded, however many there are", () => {
    const started = spawnSync(process.execPath, [...tellingYoungBytes, packedBin, "--version"], { encoding: "utf8", env: plainEnvironment() })
    expect(started.status, started.stderr).toBe(0)
    const [before, after] = JSON.parse(started.stderr)
    expect(before).toBeGreaterThan(0)
    expect(after).toBeLessThanOrEqual(before)
  })

  it.each(starts)("started by %s goes on with the packaged Node 24", (_, node, flags) => {
    const { home, workspace } = makePlace()
    const started = spawnSync(
      node,
      [...flags, sourceBin, "run", "start", "--json", "--", "readlink /proc/$PPID/exe; exit 3"],
      { cwd: workspace, env: plainEnvironment({ STENO_HOME: home }), encoding: "utf8" }
    )
    expect(started.status, started.stderr).toBe(1)
    const run = runOf(started.stdout)
    const parent = readFileSync(run.calls[0]?.output?.path ?? "", "utf8").trim()
    expect(parent).toMatch(/node_modules\/.*\/?node$/)
    expect(spawnSync(parent, ["--version"], { encoding: "utf8" }).stdout).toMatch(/^v24\./)
  })

  it.each(starts)("started by %s is not found by a command that looks for a word of its own text", (_, node, flags) => {
    const { home, workspace } = makePlace()
    const started = spawnSync(
      node,
      [...flags, sourceBin, "run", "start", "--json", "--", "pgrep -fc steno-probe-7731; true"],
      { cwd: workspace, env: plainEnvironment({ STENO_HOME: home }), encoding: "utf8" }
    )
    expect(readFileSync(runOf(started.stdout).calls[0]?.output?.path ?? "", "utf8")).toBe("0\n")
  })

  it("without the packaged Node says which Node it needs, with exit code 64 and no stack trace", () => {
    const folder = temporaryFolder()
    copyFileSync(sourceBin, join(folder, "steno.js"))
    writeFileSync(join(folder, "package.json"), "{\"type\":\"module\"}")
    const started = spawnSync(process.execPath, [...asNode20, join(folder, "steno.js")], { encoding: "utf8" })
    expect(started.status).toBe(64)
    expect(started.stderr).toMatch(/needs Node 22\.19 or newer; this is 20\.0\.0/)
    expect(started.stderr).not.toMatch(/\n\s+at /)
  })
})
