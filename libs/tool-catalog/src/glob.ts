/**
 * Globs over paths with `/`. Pure.
 *
 * `*` and `?` stay inside a name, `**` as a whole name crosses folders, `[a-z]` and `[!a-z]` are one character, `{a,b}` are
 * alternatives, `\` takes the next character as it is. Without a `/` a glob is about the name, at any depth; with one it is about the
 * path from the root. Names that begin with a dot are names like others.
 * Limits: matching takes time in proportion to glob × path, whatever the glob, because a model writes it and a regular expression
 * could backtrack without end; at most 256 alternatives.
 */
import { Result } from "effect"

type Sign =
  | { readonly kind: "character"; readonly is: (character: string) => boolean }
  | { readonly kind: "any" }

/** One name of a path; `across` stands for any number of names. */
type Name = { readonly kind: "across" } | { readonly kind: "name"; readonly signs: ReadonlyArray<Sign> }

const mostAlternatives = 256

const closingBrace = (glob: string, open: number): number => {
  let depth = 0
  for (let at = open; at < glob.length; at++) {
    if (glob[at] === "\\") at += 1
    else if (glob[at] === "{") depth += 1
    else if (glob[at] === "}" && --depth === 0) return at
  }
  return -1
}

const splitAlternatives = (inside: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let from = 0
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === "\\") at += 1
    else if (inside[at] === "{") depth += 1
    else if (inside[at] === "}") depth -= 1
    else if (inside[at] === "," && depth === 0) {
      parts.push(inside.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, inside.slice(from)]
}

const openingBrace = (glob: string): number => {
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === "\\") at += 1
    else if (glob[at] === "{") return at
  }
  return -1
}

/** Without braces; more than `mostAlternatives` or an open brace: the reason. */
const alternativesOf = (glob: string): Result.Result<ReadonlyArray<string>, string> => {
  const whole: Array<string> = []
  const open = [glob]
  while (open.length > 0) {
    const next = open.pop() ?? ""
    const from = openingBrace(next)
    if (from < 0) {
      whole.push(next)
    } else {
      const to = closingBrace(next, from)
      if (to < 0) return Result.fail("a { has no }")
      open.push(...splitAlternatives(next.slice(from + 1, to)).map((part) => next.slice(0, from) + part + next.slice(to + 1)))
    }
    if (whole.length + open.length > mostAlternatives) return Result.fail(`it has more than ${mostAlternatives} alternatives`)
  }
  return Result.succeed(whole)
}

const literal = (character: string): Sign => ({ kind: "character", is: (other) => other === character })

const inClass = (text: string): (character: string) => boolean => {
  const isNot = text.startsWith("!") || text.startsWith("^")
  const members = [...isNot ? text.slice(1) : text]
  const ranges: Array<readonly [from: string, to: string]> = []
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? ""
    const isRange = members[at + 1] === "-" && at + 2 < members.length
    ranges.push([from, isRange ? members[at + 2] ?? "" : from])
    if (isRange) at += 2
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNot
}

const signsOf = (name: string): Result.Result<ReadonlyArray<Sign>, string> => {
  const characters = [...name]
  const signs: Array<Sign> = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ""
    if (character === "\\") {
      at += 1
      signs.push(literal(characters[at] ?? "\\"))
    } else if (character === "?") {
      signs.push({ kind: "character", is: () => true })
    } else if (character === "*") {
      if (signs.at(-1)?.kind !== "any") signs.push({ kind: "any" })
    } else if (character === "[") {
      const first = characters[at + 1] === "!" || characters[at + 1] === "^" ? at + 2 : at + 1
      const end = characters.indexOf("]", first + 1)
      if (end < 0) return Result.fail("a [ has no ]")
      signs.push({ kind: "character", is: inClass(characters.slice(at + 1, end).join("")) })
      at = end
    } else {
      signs.push(literal(character))
    }
  }
  return Result.succeed(signs)
}

const namesOf = (glob: string): Result.Result<ReadonlyArray<Name>, string> => {
  const names = (glob.includes("/") ? glob.replace(/^(\.?\/)+/, "") : `**/${glob}`).split("/").filter((name) => name !== "")
  return Result.all(names.map((name): Result.Result<Name, string> =>
    name === "**" ? Result.succeed({ kind: "across" }) : Result.map(signsOf(name), (signs) => ({ kind: "name", signs }))
  ))
}

/** Which prefixes of `items` fit, fed one sign at a time: the width of the row is the only memory. */
const fits = <Item, Step>(
  items: ReadonlyArray<Item>,
  steps: ReadonlyArray<Step>,
  isAny: (step: Step) => boolean,
  accepts: (step: Step, item: Item) => boolean
): boolean => {
  let row = [true, ...items.map(() => false)]
  for (const step of steps) {
    const next: Array<boolean> = [isAny(step) && row[0] === true]
    for (const [at, item] of items.entries()) {
      next.push(isAny(step) ? row[at + 1] === true || next[at] === true : row[at] === true && accepts(step, item))
    }
    row = next
  }
  return row[items.length] === true
}

const nameFits = (signs: ReadonlyArray<Sign>, name: string): boolean =>
  fits([...name], signs, ({ kind }) => kind === "any", (sign, character) => sign.kind === "character" && sign.is(character))

const pathFits = (names: ReadonlyArray<Name>, path: ReadonlyArray<string>): boolean =>
  fits(path, names, ({ kind }) => kind === "across", (step, name) => step.kind === "name" && nameFits(step.signs, name))

export interface Glob {
  /** `path`: relative to the root of the search. */
  readonly matches: (path: string) => boolean
}

/** The failure says what is wrong with the glob. */
export const compileGlob = (glob: string): Result.Result<Glob, string> =>
  Result.flatMap(alternativesOf(glob), (alternatives) =>
    Result.map(Result.all(alternatives.map(namesOf)), (compiled): Glob => ({
      matches: (path) => {
        const names = path.split("/")
        return compiled.some((one) => pathFits(one, names))
      }
    })))
