/**
 * Searches with ripgrep: where its program is, how it is called, what its exit means.
 *
 * Limits: single-threaded and in path order, so that the same tree gives the same answer; no configuration of the person's is read.
 */
import { Effect, Predicate } from "effect"
import { SearchProcess } from "./search-process.ts"
import { faultOf, PatternRefused, SearchFailed, type ToolFault } from "./tool-faults.ts"
import type { ToolSite } from "./tool-site.ts"

/** The package throws while it is loaded when the program for this platform was not installed. */
const program: Effect.Effect<string, ToolFault> = Effect.tryPromise({
  try: () => import("@vscode/ripgrep"),
  catch: (error) =>
    faultOf(new SearchFailed({ explanation: Predicate.isError(error) ? error.message : "ripgrep is not installed" }))
}).pipe(Effect.map(({ rgPath }) => rgPath))

/** What every search leaves out and how it walks. Its root is always `./` or `./NAME` of its working directory. */
const walking = ["--no-config", "--color=never", "--hidden", "--glob=!.git", "--no-require-git", "--sort=path", "--null"]

/** ripgrep's exit when something could not be searched or the pattern is wrong. */
const faultExit = 2

const nothingFoundExit = 1

export interface SearchOutcome {
  /** `path: why` of what could not be searched; paths from the root of the search. */
  readonly warnings: ReadonlyArray<string>
}

/** In the tree, or an ignore file elsewhere. */
const aboutPath = /^rg: (?:\.\/|(?=\/))(.*)$/

const outcomeOf = (exitCode: number | undefined, stderr: string): Effect.Effect<SearchOutcome, ToolFault> => {
  const lines = stderr.split("\n").filter((line) => line !== "")
  const others = lines.filter((line) => !aboutPath.test(line))
  const warnings = lines.flatMap((line) => aboutPath.exec(line)?.[1]?.replace(/: IO error for operation on .*?: /, ": ") ?? [])
  if (exitCode === undefined) return Effect.fail(faultOf(new SearchFailed({ explanation: "ripgrep was ended by a signal" })))
  if (exitCode === faultExit && others.length > 0) {
    return Effect.fail(faultOf(new PatternRefused({ explanation: others.join("\n").replace(/^rg: /, "") })))
  }
  return exitCode > faultExit
    ? Effect.fail(faultOf(new SearchFailed({ explanation: `ripgrep ended with exit code ${exitCode}` })))
    : Effect.succeed({ warnings })
}

export interface Search {
  readonly options: ReadonlyArray<string>
  /** Absolute folder, and what of it is searched: `./` or `./NAME`. */
  readonly cwd: string
  readonly root: string
}

/** Feeds `take` until it answers false. Fails with `PatternRefused` in ripgrep's words, or `SearchFailed`. */
export const search = Effect.fnUntraced(function*(
  { cwd, options, root }: Search,
  site: ToolSite,
  take: (block: Uint8Array) => boolean
): Effect.fn.Return<SearchOutcome, ToolFault, SearchProcess> {
  let isEnough = false
  const end = yield* (yield* SearchProcess).run(
    {
      callId: site.callId,
      conversationId: site.conversationId,
      program: yield* program,
      arguments: [...walking, ...options, "--", root],
      cwd
    },
    (block) => {
      isEnough ||= !take(block)
      return !isEnough
    }
  ).pipe(Effect.mapError(({ explanation }) => faultOf(new SearchFailed({ explanation }))))
  return yield* outcomeOf(isEnough ? nothingFoundExit : end.exitCode, end.stderr)
})
