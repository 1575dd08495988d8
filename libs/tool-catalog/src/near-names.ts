/** Names that are spelt like one that does not exist. Pure. */

const mostNames = 3

/** How many single changes (one character added, left out, replaced, or two swapped) lie between two names (Damerau–Levenshtein). */
const distance = (one: string, other: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1] && row > 1 && column > 1
      next.push(Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + changed,
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity
      ))
    }
    beforeLast = last
    last = next
  }
  return last[other.length] ?? 0
}

const stemOf = (name: string): string => name.replace(/(?<=.)\.[^.]*$/, "")

/** Small for names that are alike; another ending or another case alone counts little. */
const strangeness = (wanted: string, name: string): number => {
  const [small, other] = [wanted.toLowerCase(), name.toLowerCase()]
  return small === other ? 0 : stemOf(small) === stemOf(other) ? 1 : distance(small, other)
}

/** At most three, the nearest first. */
export const nearNames = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const most = Math.max(1, Math.floor(wanted.length / 3))
  return names
    .filter((name) => Math.abs(stemOf(name).length - stemOf(wanted).length) <= most)
    .map((name) => ({ name, strange: strangeness(wanted, name) }))
    .filter(({ strange }) => strange <= most)
    .toSorted((one, other) => one.strange - other.strange || (one.name < other.name ? -1 : 1))
    .slice(0, mostNames)
    .map(({ name }) => name)
}
