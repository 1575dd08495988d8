import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hasTag, rowOfPackage, rowOfPath, scope, tagsOf } from "./boundary-row.ts"
import { boundaryTable } from "./boundary-table.ts"
import { workspaceRoot } from "./linted.ts"

interface Manifest {
  readonly name: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly nx?: { readonly tags?: ReadonlyArray<string> }
}

const projects = ["libs", "apps", "tools"].flatMap((parent) =>
  readdirSync(join(workspaceRoot, parent)).flatMap((folder) => {
    const path = `${parent}/${folder}/package.json`
    if (!existsSync(join(workspaceRoot, path))) return []
    return [{ path, manifest: JSON.parse(readFileSync(join(workspaceRoot, path), "utf8")) as Manifest }]
  })
)

describe.each(projects)("$path", ({ path, manifest }) => {
  const row = rowOfPath(boundaryTable, path)

  it("has a row of the boundary table, found by its folder and by its name", () => {
    expect(row).toBeDefined()
    expect(rowOfPackage(boundaryTable, manifest.name)).toBe(row)
  })

  it("carries the tags of its row", () => {
    expect(manifest.nx?.tags).toEqual(row && tagsOf(row))
  })

  it("declares no dependency on a project it may not import", () => {
    const forbidden = Object.keys(manifest.dependencies ?? {}).filter((name) => {
      const target = name.startsWith(scope) ? rowOfPackage(boundaryTable, name) : undefined
      return name.startsWith(scope) && (target === undefined || row === undefined || !hasTag(target, row.mayImport))
    })
    expect(forbidden).toEqual([])
  })

  it("can be checked by itself", () => {
    const wanted = row?.layer === "tools" ? ["lint", "typecheck"] : ["lint", "typecheck", "test"]
    expect(Object.keys(manifest.scripts ?? {})).toEqual(expect.arrayContaining(wanted))
  })
})

describe("the boundary table", () => {
  it("has one row per folder and per name", () => {
    expect(new Set(boundaryTable.map(({ root }) => root)).size).toBe(boundaryTable.length)
    expect(new Set(boundaryTable.map(({ name }) => name)).size).toBe(boundaryTable.length)
  })

  it("has no cycle of projects: each may import only what stands above it or on its own layer above it", () => {
    const reach = (name: string, seen: ReadonlyArray<string>): ReadonlyArray<string> => {
      const row = boundaryTable.find((candidate) => candidate.name === name)
      if (row === undefined || row.layer === "tools") return []
      return boundaryTable
        .filter((target) => hasTag(target, row.mayImport))
        .flatMap((target) => (seen.includes(target.name) ? [[...seen, target.name].join(" → ")] : reach(target.name, [...seen, target.name])))
    }
    expect(boundaryTable.flatMap(({ name }) => reach(name, [name]))).toEqual([])
  })

  it("gives better-sqlite3, child_process and process.kill of libraries to one project each", () => {
    const holders = (column: "packages" | "nodeModules" | "powers", name: string) =>
      boundaryTable.filter((row) => row.layer !== "app" && row[column].some((grant) => grant === name)).map((row) => row.name)
    expect(holders("packages", "better-sqlite3")).toEqual(["ledger"])
    expect(holders("nodeModules", "child_process")).toEqual(["process-host"])
    expect(holders("powers", "process.kill")).toEqual(["process-host"])
  })
})
