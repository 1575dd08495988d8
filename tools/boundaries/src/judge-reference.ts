/**
 * Decides whether a file may name a module. Pure.
 *
 * Owns: the judgement from the table: projects, entries, packages, `node:` modules, test code.
 * Never owns: finding the references (module-references).
 */
import { isBuiltin } from "node:module"
import { matchesGlob, posix } from "node:path"
import {
  type BoundaryRow,
  grantFor,
  hasTag,
  type OwnedEntry,
  projectFolder,
  rowOfPackage,
  rowOfPath,
  scope
} from "./boundary-row.ts"

export interface BoundaryRules {
  readonly rows: ReadonlyArray<BoundaryRow>
  readonly ownedEntries: ReadonlyArray<OwnedEntry>
  readonly unbannedFiles: ReadonlyArray<string>
}

/** A file of the workspace, seen through the table. */
export interface JudgedFile {
  /** Relative to the workspace root, with `/`. */
  readonly path: string
  readonly row: BoundaryRow
  readonly folder: string
  /** Test or tooling code: bans on packages, modules and powers do not apply, project boundaries do. */
  readonly unbanned: boolean
}

export const judgedFile = (rules: BoundaryRules, path: string): JudgedFile | undefined => {
  const row = rowOfPath(rules.rows, path)
  if (row === undefined) return undefined
  const folder = projectFolder(row, path)
  return { path, row, folder, unbanned: row.layer === "tools" || isUnbanned(rules, posix.relative(folder, path)) }
}

const isUnbanned = (rules: BoundaryRules, pathInProject: string): boolean =>
  rules.unbannedFiles.some((glob) => matchesGlob(pathInProject, glob))

export const grantedIn = (grant: { readonly onlyIn?: ReadonlyArray<string> } | undefined, file: JudgedFile): boolean =>
  grant !== undefined && (grant.onlyIn === undefined || grant.onlyIn.includes(posix.relative(file.folder, file.path)))

const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

const judgeRelative = (rules: BoundaryRules, file: JudgedFile, specifier: string): string | undefined => {
  const target = posix.join(posix.dirname(file.path), specifier)
  if (!target.startsWith(`${file.folder}/`)) {
    const row = rowOfPath(rules.rows, target)
    if (row !== undefined) return `"${specifier}" lies in another project; import it by its package name`
    return file.unbanned ? undefined : `"${specifier}" lies outside of ${file.folder}`
  }
  return !file.unbanned && isUnbanned(rules, posix.relative(file.folder, target))
    ? `"${specifier}" is test or tooling code; the product does not import it`
    : undefined
}

const judgeProject = (
  rules: BoundaryRules,
  file: JudgedFile,
  specifier: string,
  names: ReadonlyArray<string>
): string | undefined => {
  const packageName = packageOf(specifier)
  const target = rowOfPackage(rules.rows, packageName)
  if (target === undefined) return `${packageName} has no row in the boundary table`
  if (target === file.row) return file.row.layer === "tools" ? undefined : `"${specifier}" is this project; import the file by its path`
  if (!hasTag(target, file.row.mayImport)) {
    return `${file.row.name} (${file.row.layer}) may not import ${packageName} (${target.layer})`
  }
  if (file.unbanned) return undefined
  if (specifier === `${packageName}/testing`) return `"${specifier}" is for tests`
  for (const entry of rules.ownedEntries.filter((owned) => packageOf(owned.specifier) === packageName)) {
    if (specifier !== entry.specifier && hasTag(file.row, entry.onlyEntryOf)) {
      return `${file.row.name} reaches ${packageName} only through "${entry.specifier}"`
    }
    const taken = specifier === entry.specifier || names.some((name) => name === "*" || entry.names.includes(name))
    if (taken && !hasTag(file.row, entry.usableBy)) {
      return `"${entry.specifier}" (${entry.names.join(", ")}) belongs to ${entry.usableBy.join(", ")}`
    }
  }
  return undefined
}

/** Why `file` may not name `specifier` and take `names` from it, or undefined. */
export const judgeReference = (
  rules: BoundaryRules,
  file: JudgedFile,
  specifier: string | undefined,
  names: ReadonlyArray<string>
): string | undefined => {
  if (specifier === undefined) {
    return file.unbanned || grantedIn(grantFor(file.row.powers, "import(computed)"), file)
      ? undefined
      : "a computed module name cannot be checked; name the module"
  }
  if (specifier.startsWith(".")) return judgeRelative(rules, file, specifier)
  if (specifier.startsWith("/") || specifier.startsWith("file:")) return `"${specifier}" is an absolute path`
  if (specifier.startsWith(scope)) return judgeProject(rules, file, specifier, names)
  if (file.unbanned) return undefined
  if (specifier.startsWith("node:") || isBuiltin(specifier)) {
    const name = specifier.replace(/^node:/, "").split("/", 1).join("")
    return grantedIn(grantFor(file.row.nodeModules, name), file)
      ? undefined
      : `node:${name} is not in the row of ${file.row.name}`
  }
  const packageName = packageOf(specifier)
  return packageName === "effect" || grantedIn(grantFor(file.row.packages, packageName), file)
    ? undefined
    : `package ${packageName} is not in the row of ${file.row.name}`
}
