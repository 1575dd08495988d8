/**
 * Walks the tree of a table or index as far as its pages can be read.
 *
 * Owns: which pages belong to a tree, and that some of it is missing.
 * Limits: each page is visited once, so damage cannot lead in circles.
 */
import type { PageFile } from "./page-file.ts"
import { readTreePage, type TreePage } from "./tree-page.ts"

export interface Tree {
  /** Pages with content, left to right. */
  readonly pages: ReadonlyArray<number>
  /** A page of the tree cannot be read, or a child of one is unknown: what hangs there is not among `pages`. */
  readonly isBroken: boolean
}

export const walkTree = (file: PageFile, root: number | undefined, kind: TreePage["kind"]): Tree => {
  const pages: Array<number> = []
  const visited = new Set<number>()
  let isBroken = false
  const waiting: Array<number | undefined> = [root]
  while (waiting.length > 0) {
    const number = waiting.pop()
    const page = number === undefined || visited.has(number) ? undefined : readTreePage(file, number)
    if (number === undefined || page === undefined || page.kind !== kind) {
      isBroken = true
      continue
    }
    visited.add(number)
    if (page.isLeaf || kind === "index") pages.push(number)
    waiting.push(...page.children.toReversed())
  }
  return { pages, isBroken }
}
