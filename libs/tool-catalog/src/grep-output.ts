/**
 * Reads ripgrep's output: `path NUL line : text` for matches, `path NUL line - text` around them, `--` between groups.
 *
 * Limits: collects `limit` matches and whether there is one more; a line between two matches is given once, to the earlier one as
 * far as its context reaches.
 */
import type { GrepMatch } from "@steno/result-projection"

interface Collected {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly before: ReadonlyArray<string>
  readonly after: Array<string>
}

const lineFeed = 0x0a

/** What stands between groups, and what ripgrep says of a binary file instead of its lines. */
const separator = /^--\r?$/
const remark = /^\.\/(.*: (?:binary file matches|WARNING: stopped searching binary file).*)$/

export class GrepOutput {
  /** `path: remark`, as about a binary file whose matches are not shown. */
  readonly remarks: Array<string> = []
  readonly #limit: number
  readonly #context: number
  readonly #accepts: (path: string) => boolean
  readonly #matches: Array<Collected> = []
  #before: Array<string> = []
  #unread: Buffer = Buffer.alloc(0)
  #isMore = false

  /** @param accepts paths as ripgrep writes them, without `./` */
  constructor(limit: number, context: number, accepts: (path: string) => boolean) {
    this.#limit = limit
    this.#context = context
    this.#accepts = accepts
  }

  /** Whether more is wanted. */
  push(block: Uint8Array): boolean {
    const bytes = Buffer.concat([this.#unread, block])
    let at = 0
    while (!this.#isMore) {
      const next = this.#record(bytes, at)
      if (next < 0) {
        this.#unread = bytes.subarray(at)
        return true
      }
      at = next
    }
    return false
  }

  /** Reads one record; a path may hold newlines. Answers where the next one begins, or −1: this one is not whole yet. */
  #record(bytes: Buffer, from: number): number {
    const feed = bytes.indexOf(lineFeed, from)
    if (feed < 0) return -1
    const nul = bytes.indexOf(0, from)
    if (nul < 0 || feed < nul) {
      const line = bytes.toString("utf8", from, feed)
      const said = remark.exec(line)?.[1]
      if (said !== undefined) this.remarks.push(said)
      if (said !== undefined || separator.test(line)) {
        this.#before = []
        return feed + 1
      }
      if (nul < 0) return -1
    }
    const end = bytes.indexOf(lineFeed, nul)
    if (end < 0) return -1
    this.#line(bytes.toString("utf8", from, nul).replace(/^\.\//, ""), bytes.toString("utf8", nul + 1, end))
    return end + 1
  }

  #line(path: string, numbered: string): void {
    const parts = /^(\d+)([:-])(.*)$/s.exec(numbered)
    if (parts === null || !this.#accepts(path)) return
    const text = (parts[3] ?? "").replace(/\r$/, "")
    if (parts[2] === ":") this.#match(path, Number(parts[1]), text)
    else this.#around(path, Number(parts[1]), text)
  }

  #match(path: string, line: number, text: string): void {
    if (this.#matches.length === this.#limit) {
      this.#isMore = true
      return
    }
    this.#matches.push({ path, line, text, before: this.#before, after: [] })
    this.#before = []
  }

  #around(path: string, line: number, text: string): void {
    const last = this.#matches.at(-1)
    const isAfter = last !== undefined && last.path === path && line > last.line && line <= last.line + this.#context
    if (isAfter) last.after.push(text)
    else this.#before.push(text)
  }

  get matches(): ReadonlyArray<GrepMatch> {
    return this.#matches.map(({ after, before, line, path, text }) => ({
      path,
      line,
      text,
      ...(before.length === 0 ? {} : { before }),
      ...(after.length === 0 ? {} : { after })
    }))
  }

  /** There is at least one match more than `limit`. */
  get isMore(): boolean {
    return this.#isMore
  }
}
