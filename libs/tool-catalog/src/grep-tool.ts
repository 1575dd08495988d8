/**
 * `grep`: lines that match, through ripgrep.
 *
 * Limits: at most 2,000 bytes of a line come back, ripgrep says how much more there is. What .gitignore names stays out also where
 * `glob` would fit it. Lines of UTF-16 files with a mark are searched as text; other encodings byte by byte.
 */
import type { GrepArguments, GrepResult } from "@steno/result-projection"
import { Effect, Result } from "effect"
import { compileGlob } from "./glob.ts"
import { GrepOutput } from "./grep-output.ts"
import { search } from "./ripgrep.ts"
import type { SearchProcess } from "./search-process.ts"
import { searchRoot } from "./search-root.ts"
import { argumentLimits } from "./tool-arguments.ts"
import { faultOf, PatternRefused, type ToolFault } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"

const mostLineBytes = 2_000

const anyPath = () => true

/** Which paths a glob lets through; ripgrep's own option would also let through what is ignored. */
export const pathFilter = (glob: string | undefined): Effect.Effect<(path: string) => boolean, ToolFault> => {
  if (glob === undefined) return Effect.succeed(anyPath)
  const compiled = compileGlob(glob)
  return Result.isSuccess(compiled)
    ? Effect.succeed(compiled.success.matches)
    : Effect.fail(faultOf(new PatternRefused({ explanation: `The glob cannot be used: ${compiled.failure}` })))
}

/** Lets ripgrep pass over files whose name cannot fit, by a file type of our own, which unlike a glob respects .gitignore. */
const nameOptions = (glob: string | undefined): ReadonlyArray<string> => {
  const name = glob?.split("/").at(-1) ?? ""
  const isPlain = /^[\w.*?-]+$/.test(name) && !name.includes("**")
  return isPlain && !glob?.includes("{") ? [`--type-add=wanted:${name}`, "--type=wanted"] : []
}

const optionsOf = ({ context, glob, ignoreCase, literal, pattern }: GrepArguments): ReadonlyArray<string> => [
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--crlf",
  `--max-columns=${mostLineBytes}`,
  "--max-columns-preview",
  `--context=${context ?? argumentLimits.grepContext.default}`,
  ...(literal === true ? ["--fixed-strings"] : []),
  ...(ignoreCase === true ? ["--ignore-case"] : []),
  ...nameOptions(glob),
  `--regexp=${pattern}`
]

/** `args` fit their schema. */
export const grep = Effect.fn("grep")(function*(
  args: GrepArguments,
  site: ToolSite
): Effect.fn.Return<GrepResult, ToolFault, SearchProcess> {
  const root = yield* searchRoot(args.path, site)
  const accepts = root.kind === "file" ? anyPath : yield* pathFilter(args.glob)
  const limit = args.limit ?? argumentLimits.grepMatches.default
  const output = new GrepOutput(limit, args.context ?? argumentLimits.grepContext.default, accepts)
  const options = optionsOf(root.kind === "file" ? withoutGlob(args) : args)
  const { warnings: faults } = yield* search({ options, cwd: root.cwd, root: root.root }, site, (block) => output.push(block))
  const warnings = [...output.remarks, ...faults]
  return {
    matches: output.matches.map((match) => ({ ...match, path: root.shown(match.path) })),
    ...(output.isMore ? { limitReached: limit } : { total: output.matches.length }),
    ...(warnings.length === 0 ? {} : { warnings })
  }
})

/** A file that is named is searched. */
const withoutGlob = ({ glob: _, ...rest }: GrepArguments): GrepArguments => rest
