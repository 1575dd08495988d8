/**
 * `ls`: the entries of one folder, folders first, then by name.
 *
 * Limits: all names are read, so that the total is right; sizes are looked up for those that come back. A link is a link, wherever
 * it leads.
 */
import type { ListedPath, ListingResult, LsArguments } from "@steno/result-projection"
import { Effect } from "effect"
import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { attempt, entryAt } from "./file-system.ts"
import { folderRoot } from "./search-root.ts"
import { argumentLimits } from "./tool-arguments.ts"
import type { ToolFault } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"

const kindOf = (entry: Dirent): ListedPath["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

const rank = (entry: Dirent): number => entry.isDirectory() ? 0 : 1

const inOrder = (one: Dirent, other: Dirent): number => rank(one) - rank(other) || (one.name < other.name ? -1 : 1)

const withSize = Effect.fnUntraced(function*(folder: string, entry: Dirent): Effect.fn.Return<ListedPath> {
  const listed = { path: entry.name, kind: kindOf(entry) }
  if (listed.kind !== "file") return listed
  const state = yield* Effect.orElseSucceed(entryAt(join(folder, entry.name)), () => undefined)
  return state === undefined ? listed : { ...listed, sizeBytes: Number(state.size) }
})

/** `args` fit their schema. */
export const ls = Effect.fn("ls")(function*(args: LsArguments, site: ToolSite): Effect.fn.Return<ListingResult, ToolFault> {
  const root = yield* folderRoot(args.path, site)
  const limit = args.limit ?? argumentLimits.lsEntries.default
  const entries = yield* attempt("list it", args.path ?? ".", () => readdir(root.real, { withFileTypes: true }))
  const shown = entries.toSorted(inOrder).slice(0, limit)
  return {
    root: root.real,
    paths: yield* Effect.forEach(shown, (entry) => withSize(root.real, entry), { concurrency: 16 }),
    total: entries.length,
    ...(entries.length > shown.length ? { limitReached: limit } : {})
  }
})
