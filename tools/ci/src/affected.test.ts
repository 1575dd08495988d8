import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { must, runIn, workspaceRoot } from "./ci-script.ts"

const scratch = mkdtempSync(join(tmpdir(), "steno-affected-"))
const clone = join(scratch, "clone")
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly nx?: { readonly implicitDependencies?: ReadonlyArray<string> }
}

const manifests = (folder: string): ReadonlyArray<Manifest> =>
  ["libs", "apps", "tools"].flatMap((parent) =>
    readdirSync(join(folder, parent))
      .map((name) => join(folder, parent, name, "package.json"))
      .filter((path) => existsSync(path))
      .map((path) => JSON.parse(readFileSync(path, "utf8")) as Manifest)
  )

/** The project and everything that reaches it through declared dependencies. */
const dependants = (projects: ReadonlyArray<Manifest>, name: string): ReadonlyArray<string> => {
  const reached = new Set([name])
  for (const known of reached) {
    for (const { name: candidate, dependencies, devDependencies, nx } of projects) {
      const declared = [...Object.keys({ ...dependencies, ...devDependencies }), ...(nx?.implicitDependencies ?? [])]
      if (declared.includes(known)) reached.add(candidate)
    }
  }
  return [...reached].sort()
}

/** What .ci/affected prints before it runs anything, and the projects of the tasks Nx would then run. */
const chosen = async (environment = {}) => {
  const { code, stdout, stderr } = await runIn(clone, ".ci/affected", ["--graph=stdout"], environment)
  expect(code, stderr).toBe(0)
  const [announcement = "", ...lines] = stdout.slice(0, stdout.indexOf("\n{")).split("\n")
  const { tasks } = JSON.parse(stdout.slice(stdout.indexOf("\n{"))) as {
    tasks: { tasks: Record<string, { target: { project: string; target: string } }> }
  }
  const targets = Object.values(tasks.tasks).map(({ target }) => target)
  return {
    announcement,
    printed: lines.map((line) => line.trim()),
    run: [...new Set(targets.map(({ project }) => project))].sort(),
    targets: [...new Set(targets.map(({ target }) => target))].sort()
  }
}

const commit = async (path: string, message: string) => {
  await must(clone, "git", "add", path)
  await must(clone, "git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", message)
}

beforeAll(async () => {
  await must(scratch, "git", "clone", "--quiet", "--depth", "1", `file://${workspaceRoot}`, clone)
  symlinkSync(join(workspaceRoot, "node_modules"), join(clone, "node_modules"))
})

describe(".ci/affected", () => {
  it("chooses every project, and says so, in a clone with a single commit", async () => {
    const choice = await chosen()
    expect(choice.announcement).toBe("There is no commit HEAD~1 to compare with; chosen is every project:")
    expect(choice.run).toEqual(manifests(clone).map(({ name }) => name).sort())
    expect(choice.printed).toEqual(choice.run)
  })

  it("chooses result-projection and exactly its dependants for a change in it, and prints them first", async () => {
    appendFileSync(join(clone, "libs/result-projection/src/index.ts"), "\nexport const changed = true\n")
    await commit("libs/result-projection/src/index.ts", "change one library")
    const choice = await chosen()
    expect(choice.run).toEqual(dependants(manifests(clone), "@steno/result-projection"))
    expect(choice.run).toEqual(expect.arrayContaining(["@steno/runtime", "@steno/cli"]))
    expect(choice.run).not.toContain("@steno/ledger")
    expect(choice.printed).toEqual(choice.run)
    expect(choice.targets).toEqual(["lint", "test", "typecheck"])
  })

  it("compares with $BASE instead of the commit before", async () => {
    const base = (await must(clone, "git", "rev-parse", "HEAD")).trim()
    writeFileSync(join(clone, "libs/headless/src/added.ts"), "export const added = true\n")
    await commit("libs/headless/src/added.ts", "change a client")
    const since = await chosen({ BASE: base })
    expect(since.run).toEqual(dependants(manifests(clone), "@steno/headless"))
    const before = await chosen({ BASE: `${base}~1` })
    expect(before.run).toEqual(
      [...new Set([...since.run, ...dependants(manifests(clone), "@steno/result-projection")])].sort()
    )
  })

  it("chooses every project for a change of what all share", async () => {
    appendFileSync(join(clone, "tsconfig.base.json"), "\n")
    await commit("tsconfig.base.json", "change the shared settings")
    expect((await chosen()).run).toEqual(manifests(clone).map(({ name }) => name).sort())
  })
})
