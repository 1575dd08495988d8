/**
 * The words that a further command for the same home begins with.
 *
 * Owns: that a home named on this command line is named again. One that the environment names needs no word.
 */

/** @param args those of this command; a value that is missing is the parser's to refuse */
export const programWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  const options = end === -1 ? args : args.slice(0, end)
  const at = options.findIndex((word) => word === "--home" || word.startsWith("--home="))
  const word = options[at]
  const home = word === "--home" ? options[at + 1] : word?.slice("--home=".length)
  return home === undefined || home === "" ? ["steno"] : ["steno", "--home", home]
}
