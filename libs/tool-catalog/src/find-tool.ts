/**
 * `find`: files whose path fits a glob, in path order.
 *
 * Limits: walks the whole tree, so that the total is right. Files alone: folders, links and what .gitignore names are left out.
 */
import type { FindArguments, ListedPath, ListingResult } from "@steno/result-projection"
import { Effect } from "effect"
import { pathFilter } from "./grep-tool.ts"
import { search } from "./ripgrep.ts"
import type { SearchProcess } from "./search-process.ts"
import { folderRoot } from "./search-root.ts"
import { argumentLimits } from "./tool-arguments.ts"
import type { ToolFault } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"

/** Counts paths that fit and keeps the first ones. */
class FoundPaths {
  readonly #limit: number
  readonly #accepts: (path: string) => boolean
  readonly kept: Array<string> = []
  total = 0
  #partial: Array<Uint8Array> = []

  constructor(limit: number, accepts: (path: string) => boolean) {
    this.#limit = limit
    this.#accepts = accepts
  }

  push(block: Uint8Array): void {
    let at = 0
    for (let nul = block.indexOf(0); nul >= 0; nul = block.indexOf(0, at)) {
      this.#path(Buffer.concat([...this.#partial, block.subarray(at, nul)]).toString("utf8"))
      this.#partial = []
      at = nul + 1
    }
    this.#partial.push(block.slice(at))
  }

  #path(written: string): void {
    const path = written.replace(/^\.\//, "")
    if (!this.#accepts(path)) return
    this.total += 1
    if (this.kept.length < this.#limit) this.kept.push(path)
  }
}

/** `args` fit their schema. */
export const find = Effect.fn("find")(function*(
  args: FindArguments,
  site: ToolSite
): Effect.fn.Return<ListingResult, ToolFault, SearchProcess> {
  const root = yield* folderRoot(args.path, site)
  const limit = args.limit ?? argumentLimits.findPaths.default
  const found = new FoundPaths(limit, yield* pathFilter(args.pattern))
  const { warnings } = yield* search({ options: ["--files"], cwd: root.cwd, root: root.root }, site, (block) => {
    found.push(block)
    return true
  })
  return {
    root: root.real,
    paths: found.kept.map((path): ListedPath => ({ path, kind: "file" })),
    total: found.total,
    ...(found.total > found.kept.length ? { limitReached: limit } : {}),
    ...(warnings.length === 0 ? {} : { warnings })
  }
})
