/** What did not go as it should, one line each. Pure. */
import { countWords } from "./process-status.ts"
import { visibleLines } from "./visible-lines.ts"

/** Whatever the text holds, one line. */
export const sentence = (name: string, text: string): string => `${name}: ${visibleLines(text).join(" ")}`

const mostWarnings = 5

/** The first ones, then how many more there are. */
export const warningLines = (warnings: ReadonlyArray<string> | undefined): ReadonlyArray<string> => {
  const all = warnings ?? []
  return [
    ...all.slice(0, mostWarnings).map((warning) => sentence("warning", warning)),
    ...(all.length > mostWarnings ? [`${countWords(all.length - mostWarnings, "more warning", "more warnings")}`] : [])
  ]
}
