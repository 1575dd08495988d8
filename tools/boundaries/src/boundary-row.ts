/**
 * What one row of the boundary table says.
 *
 * Owns: the shape of a row and the lookups in a list of rows.
 * Never owns: the rows (boundary-table), how a file is judged (judge-reference).
 */

export const layers = [
  "contracts",
  "port",
  "core",
  "seam-interface",
  "seam-adapter",
  "application",
  "client",
  "composition",
  "app",
  "tools"
] as const

export type Layer = (typeof layers)[number]

/** A tag of Nx: every project of a layer, or one project. */
export type Tag = `layer:${Layer}` | `project:${string}`

/** Something with few owners: a package, a `node:` module or a power; a plain string is usable in the whole project. */
export type Grant = string | { readonly name: string; readonly onlyIn: ReadonlyArray<string> }

/** What few may do; `import(computed)` is loading a module whose name no check can read. */
export type Power = "process.argv" | "process.exit" | "process.kill" | "Effect.run*" | "import(computed)"

export type PowerGrant = Power | { readonly name: Power; readonly onlyIn: ReadonlyArray<string> }

export interface BoundaryRow {
  /** Package name without `@steno/`. */
  readonly name: string
  /** Folder below the workspace root; `tools/*` stands for every folder there. */
  readonly root: string
  readonly layer: Layer
  readonly mayImport: ReadonlyArray<Tag>
  /** Packages besides `effect` and those of the workspace; `@scope/*` stands for all of a scope. */
  readonly packages: ReadonlyArray<Grant>
  /** Built-in modules of Node, without `node:`. */
  readonly nodeModules: ReadonlyArray<Grant>
  readonly powers: ReadonlyArray<PowerGrant>
}

/** An entry of a package that only some may import; `names` are its exports, wherever else that package exports them. */
export interface OwnedEntry {
  readonly specifier: string
  readonly names: ReadonlyArray<string>
  readonly usableBy: ReadonlyArray<Tag>
  /** Projects that reach the package through this entry and no other. */
  readonly onlyEntryOf: ReadonlyArray<Tag>
}

export const scope = "@steno/"

export const tagsOf = (row: BoundaryRow): ReadonlyArray<Tag> =>
  row.layer === "tools" ? ["layer:tools"] : [`layer:${row.layer}`, `project:${row.name}`]

export const hasTag = (row: BoundaryRow, tags: ReadonlyArray<Tag>): boolean =>
  tagsOf(row).some((tag) => tags.includes(tag))

export const rowOfPath = (rows: ReadonlyArray<BoundaryRow>, path: string): BoundaryRow | undefined =>
  rows.find(({ root }) => path.startsWith(root.endsWith("*") ? root.slice(0, -1) : `${root}/`))

/** The folder of the project a path lies in: that of its row, or one folder of a `tools/*` row. */
export const projectFolder = (row: BoundaryRow, path: string): string =>
  row.root.endsWith("*") ? path.split("/").slice(0, 2).join("/") : row.root

export const rowOfPackage = (rows: ReadonlyArray<BoundaryRow>, packageName: string): BoundaryRow | undefined =>
  rows.find(({ name }) => packageName === `${scope}${name}`) ??
  (packageName.startsWith(`${scope}tool-`) ? rows.find(({ layer }) => layer === "tools") : undefined)

/** The grant for `name`, with the files it is bound to, or undefined. */
export const grantFor = (grants: ReadonlyArray<Grant>, name: string): { readonly onlyIn?: ReadonlyArray<string> } | undefined => {
  for (const grant of grants) {
    const granted = typeof grant === "string" ? grant : grant.name
    if (granted === name || (granted.endsWith("/*") && name.startsWith(granted.slice(0, -1)))) {
      return typeof grant === "string" ? {} : { onlyIn: grant.onlyIn }
    }
  }
  return undefined
}
