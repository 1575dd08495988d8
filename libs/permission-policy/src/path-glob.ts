/**
 * Globs on absolute paths.
 *
 * Owns: what `*`, `?`, `[…]`, `{a,b}` and `**` mean; how a path that is itself a glob lies to a folder.
 * Limits: a segment is matched in time proportional to pattern × name; at most 64 alternatives of braces.
 */
type Token =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "any" | "star" }
  | { readonly kind: "set"; readonly negated: boolean; readonly ranges: ReadonlyArray<readonly [string, string]> }

const setEnd = (glob: string, from: number): number => {
  const first = glob[from + 1] === "!" || glob[from + 1] === "^" ? from + 2 : from + 1
  return glob.indexOf("]", first + 1)
}

const setToken = (body: string): Token => {
  const negated = body.startsWith("!") || body.startsWith("^")
  const characters = Array.from(negated ? body.slice(1) : body)
  const ranges: Array<readonly [string, string]> = []
  for (let index = 0; index < characters.length; index++) {
    const low = characters[index] ?? ""
    const high = characters[index + 1] === "-" ? characters[index + 2] : undefined
    ranges.push([low, high ?? low])
    if (high !== undefined) index += 2
  }
  return { kind: "set", negated, ranges }
}

const tokensOf = (segment: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  for (let index = 0; index < segment.length; index++) {
    const character = segment[index] ?? ""
    const end = character === "[" ? setEnd(segment, index) : -1
    if (character === "\\" && index + 1 < segment.length) tokens.push({ kind: "character", character: segment[++index] ?? "" })
    else if (character === "*") tokens.push({ kind: "star" })
    else if (character === "?") tokens.push({ kind: "any" })
    else if (end > 0) {
      tokens.push(setToken(segment.slice(index + 1, end)))
      index = end
    } else tokens.push({ kind: "character", character })
  }
  return tokens
}

const accepts = (token: Token, character: string): boolean => {
  switch (token.kind) {
    case "character":
      return token.character === character
    case "set":
      return token.ranges.some(([low, high]) => low <= character && character <= high) !== token.negated
    case "any":
    case "star":
      return true
  }
}

/** The usual walk that goes back to the last star only. */
const matchesTokens = (tokens: ReadonlyArray<Token>, name: string): boolean => {
  let token = 0
  let position = 0
  let star = -1
  let resume = 0
  while (position < name.length) {
    const current = tokens[token]
    if (current?.kind === "star") {
      star = token++
      resume = position
    } else if (current !== undefined && accepts(current, name[position] ?? "")) {
      token++
      position++
    } else if (star >= 0) {
      token = star + 1
      position = ++resume
    } else return false
  }
  return tokens.slice(token).every(({ kind }) => kind === "star")
}

export const matchesSegment = (glob: string, name: string): boolean => matchesTokens(tokensOf(glob), name)

/** Segments of an absolute path or glob; a slash inside brackets or behind a backslash separates as well. */
export const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((segment) => segment !== "")

const maximumAlternatives = 64

/** Without braces; undefined when there are more than 64 or a brace is not closed. */
export const alternativesOf = (glob: string): ReadonlyArray<string> | undefined => {
  const done: Array<string> = []
  const open = [glob]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /^((?:[^\\{}]|\\.)*)\{((?:[^\\{}]|\\.)*)\}(.*)$/su.exec(next)
    if (braces === null) {
      if (/(?:^|[^\\])[{}]/.test(next)) return undefined
      done.push(next)
    } else {
      const [, before = "", inside = "", after = ""] = braces
      for (const alternative of inside.split(",").reverse()) open.push(before + alternative + after)
    }
    if (done.length + open.length > maximumAlternatives) return undefined
  }
  return done
}

/** Whether an absolute glob names this absolute path; `**` stands for any number of segments. */
export const matchesPath = (glob: string, path: string): boolean => {
  const pattern = segmentsOf(glob)
  const names = segmentsOf(path)
  let reached = new Set([0])
  const skip = (states: Set<number>): Set<number> => {
    for (const state of states) if (pattern[state] === "**") states.add(state + 1)
    return states
  }
  skip(reached)
  for (const name of names) {
    const next = new Set<number>()
    for (const state of reached) {
      const segment = pattern[state]
      if (segment === "**") next.add(state)
      else if (segment !== undefined && matchesSegment(segment, name)) next.add(state + 1)
    }
    reached = skip(next)
  }
  return reached.has(pattern.length)
}

/** How what a glob names lies to a folder: the folder itself, something in it, something above it, or apart. */
export type Relation = "same" | "inside" | "above" | "apart"

/** A segment that is a glob counts as every name it may be. */
export const relationTo = (glob: string, folder: string): Relation => {
  const pattern = segmentsOf(glob)
  const names = segmentsOf(folder)
  const common = Math.min(pattern.length, names.length)
  for (let index = 0; index < common; index++) {
    if (!matchesSegment(pattern[index] ?? "", names[index] ?? "")) return "apart"
  }
  if (pattern.length === names.length) return "same"
  return pattern.length > names.length ? "inside" : "above"
}

const literalPrefix = (glob: string): ReadonlyArray<string> => {
  const segments = segmentsOf(glob)
  const first = segments.findIndex((segment) => /[*?[]/.test(segment.replace(/\\./g, "")))
  return first < 0 ? segments : segments.slice(0, first)
}

/** Whether two globs may name one path; false only when their literal beginnings part. */
export const mayMeet = (one: string, other: string): boolean => {
  const [first, second] = [literalPrefix(one), literalPrefix(other)]
  const common = Math.min(first.length, second.length)
  return first.slice(0, common).every((segment, index) => segment === second[index])
}
