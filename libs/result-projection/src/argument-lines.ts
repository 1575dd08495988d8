/** Named arguments of a call as card lines, as they were meant: nothing removed, control characters visible. */
import { visibleLines } from "./visible-lines.ts"

export const argumentLines = (
  args: Readonly<Record<string, string | number | boolean | undefined>>
): ReadonlyArray<string> =>
  Object.entries(args).flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${visibleLines(`${value}`).join(" ")}`])
