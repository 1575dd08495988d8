/** Where a search begins, and how its paths are named afterwards. */
import { Effect } from "effect"
import { basename, dirname, join } from "node:path"
import { notFound, shownPath } from "./resolved-path.ts"
import { faultOf, type ToolFault, WrongKind } from "./tool-faults.ts"
import { sitePath, type ToolSite } from "./tool-site.ts"

export interface SearchRoot {
  readonly real: string
  readonly kind: "file" | "directory"
  /** Working directory of the search, and what of it is searched. */
  readonly cwd: string
  readonly root: string
  /** A path of the search as a model may use it. */
  readonly shown: (path: string) => string
}

export const searchRoot = Effect.fnUntraced(function*(given: string | undefined, site: ToolSite): Effect.fn.Return<SearchRoot, ToolFault> {
  const path = yield* sitePath(given ?? ".", site)
  if (path.kind === undefined) return yield* notFound(path, site.cwd)
  const { kind, real } = path
  if (kind !== "file" && kind !== "directory") {
    return yield* faultOf(new WrongKind({ path: path.given, found: "neither a file nor a folder", advice: "it cannot be searched" }))
  }
  const cwd = kind === "directory" ? real : dirname(real)
  return {
    real,
    kind,
    cwd,
    root: kind === "directory" ? "./" : `./${basename(real)}`,
    shown: (found) => shownPath(join(cwd, found), site.cwd)
  }
})

/** A root that must be a folder. */
export const folderRoot = Effect.fnUntraced(function*(given: string | undefined, site: ToolSite): Effect.fn.Return<SearchRoot, ToolFault> {
  const root = yield* searchRoot(given, site)
  return root.kind === "directory"
    ? root
    : yield* faultOf(new WrongKind({ path: given ?? ".", found: "a file", advice: "name a folder, or read it" }))
})
