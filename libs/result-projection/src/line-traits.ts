/**
 * What kind of line it is: a place in a file, a frame of a stack, a comparison, a heading.
 *
 * Owns: the forms in which tools print these.
 * Limits: the answer depends on this line alone.
 */

/** Characters of which a rule is drawn, and how many of them make one. */
const ruleMarks = "=-_*#!~"
const ruleLength = 6
const bannerWords = 3

/** Framed by a rule on both sides, with at most three words between: `==== FAILURES ====`. In one pass: a rule may be long. */
const banner = {
  test: (line: string): boolean => {
    const mark = line.charAt(0)
    if (mark === "" || !ruleMarks.includes(mark)) return false
    let start = 0
    while (line.charAt(start) === mark) start++
    let end = line.length
    while (end > start && line.charAt(end - 1) === mark) end--
    const framed = start >= ruleLength && (start === line.length || line.length - end >= ruleLength)
    return framed && line.slice(start, end).split(/\s+/).filter((word) => word !== "").length <= bannerWords
  }
}

const form = {
  /** `src/a.c:10:5`, `a.ts(5,31)`, `line 12`. */
  place: /\bline \d+|[A-Za-z_\])]:\d+(?::\d+)?(?:[)'":,\s]|$)|[A-Za-z_]\(\d+(?:,\d+)?\)/,
  frame: /^(?:==\d+==\s*)?(?:at |\d+: +[\w<][^\s:]*(?:::|$)|by 0x|#\d+ |File "|from .*:\d+:in|\S+ \(.*:\d+:\d+\)$|\.\.\. \d+ more|\S+\.\w+:\d+ \+0x)/,
  comparison:
    /^(?:[-+] *[^-+\s]|E  +|Expected|Received|expected|received|actual|Actual|(?:left|right|want|got|Which is)\b|>\s|\S{1,30} (?:[!=]==?|[<>]=?|≠) \S{1,30}$)/,
  /** A marker under a line of source, with words or without. */
  caret: /^(?:\d+\s*)?(?:[|│]\s*)?[\^~]|^\d*\s*[|│].*(?:\^|~~)/,
  quotedSource: /^>?\s*\d*\s*[|│]|^\d+:? {2,}\S/,
  echo: /^(?:\++ |\$ |> )\S/,
  banner,
  /** Says that an error before it does not count. */
  excuse: /^\.\.\.\s*ignoring/,
  /** Where to read on, how to call the program: nothing that happened. */
  hint:
    /^If (?:this|you)\b|^https?:\/\/\S+|complete log of this run|for (?:more|a full|further) (?:info|information|details|report|help)|^(?:npm error )?see (?:also )?["/h]|re-?run with|run with [`'"-]|for usage|--help|\bsee https?:|^(?:npm error )?(?:usage|options):|^(?:npm error )?\[-|^npm error {3,}[A-Z]|^(?:npm error )?aliases:|you are using|for counts of|use -/i,
  /** Nothing after the tag that each line of a program begins with. */
  empty: /^(?:==\d+==|npm error|npm ERR!|remote:|#|[|│])?\s*[-=_*~#|│\s.]*$/,
  /** Ends in a way that announces what comes next. */
  introducing: /:$/,
  worded: /[A-Za-z]{2}/,
  /** A field of a record that names a file. */
  fileField: /^"(?:file|filePath|filename|path|uri)":\s*"[^"]+"/i,
  pathAlone: /^\S*\/\S*$/
} as const

export type LineTrait = keyof typeof form

export const lineTraits = Object.keys(form) as ReadonlyArray<LineTrait>

const bits = Object.fromEntries(lineTraits.map((trait, index) => [trait, 1 << index])) as Readonly<Record<LineTrait, number>>

/** Files of a tool, a runtime or a library, not of the program that ran. */
const foreign =
  /node_modules|node:|\binternal\/|\/usr\/(?:lib|include|share|local\/lib)|java\.base|\bjdk\.|site-packages|\(<anonymous>\)|_testmain|\/testing\.go|\bruntime\.|\?\?\?|\.rustup|\/rustc\/|\/opt\/|vgpreload|_start|libc|pthread|<frozen|python3\.\d+\//

/** The traits of one line, each looked for when it is first asked for. */
export class LineTraits {
  readonly #line: string
  #asked = 0
  #found = 0

  constructor(text: string) {
    this.#line = text.trim()
  }

  has(trait: LineTrait): boolean {
    const bit = bits[trait]
    if ((this.#asked & bit) === 0) {
      this.#asked |= bit
      if (form[trait].test(this.#line)) this.#found |= bit
    }
    return (this.#found & bit) !== 0
  }
}

export const hasTrait = (text: string, trait: LineTrait): boolean => form[trait].test(text.trim())

export const isForeign = (text: string): boolean => foreign.test(text)
