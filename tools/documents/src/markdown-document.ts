/**
 * A Markdown file of the workspace: its lines, headings and links.
 *
 * Owns: finding the documents that are written by hand, and where a link in one of them leads.
 * Limits: inline links only; addresses on the web are not looked at.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const workspaceRoot = fileURLToPath(new URL("../../..", import.meta.url))

export interface MarkdownDocument {
  /** Relative to the workspace root. */
  readonly path: string
  readonly text: string
}

const readDocument = (path: string): MarkdownDocument => ({ path, text: readFileSync(join(workspaceRoot, path), "utf8") })

const markdownIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(workspaceRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? markdownIn(path) : entry.name.endsWith(".md") ? [path] : []
  })

/** Folders of the projects that have a package.json, e.g. `libs/contracts`. */
export const projectFolders = (parent: string): ReadonlyArray<string> =>
  readdirSync(join(workspaceRoot, parent))
    .map((name) => join(parent, name))
    .filter((folder) => existsSync(join(workspaceRoot, folder, "package.json")))

export const documents = (): ReadonlyArray<MarkdownDocument> => {
  const rootDocuments = readdirSync(workspaceRoot).filter((name) => name.endsWith(".md"))
  const readmes = ["libs", "apps", "tools"]
    .flatMap(projectFolders)
    .map((folder) => join(folder, "README.md"))
    .filter((path) => existsSync(join(workspaceRoot, path)))
  return [...rootDocuments, ...markdownIn("docs"), ...readmes].map(readDocument)
}

const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "")

export const linksOf = ({ text }: MarkdownDocument): ReadonlyArray<string> =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

export const headingsOf = ({ text }: MarkdownDocument, level: number): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(`^${"#".repeat(level)} (.+)$`, "gm"))].map(([, heading = ""]) => heading)

/** The name a heading has in a link. */
const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")

const anchorsOf = (document: MarkdownDocument): ReadonlyArray<string> =>
  [1, 2, 3, 4].flatMap((level) => headingsOf(document, level)).map(anchorOf)

/** Why a link of `document` leads nowhere, or undefined. */
export const brokenLink = (document: MarkdownDocument, link: string): string | undefined => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? document.path : relative(workspaceRoot, join(workspaceRoot, dirname(document.path), file))
  if (target.startsWith("..")) return `${link} leads out of the workspace`
  const absolute = join(workspaceRoot, target)
  if (!existsSync(absolute)) return `${link} does not exist`
  if (anchor === undefined) return undefined
  if (statSync(absolute).isDirectory() || !anchorsOf(readDocument(target)).includes(anchor)) return `${link} has no such heading`
  return undefined
}
