/** One call as a model sends it, on the file tools of this machine. */
import { Effect, Result } from "effect"
import { checkCall } from "../src/checked-call.ts"
import { CatalogTools, isFileCall } from "../src/catalog-tools.ts"
import { makeSite } from "../src/testing.ts"
import type { ToolSite } from "../src/tool-site.ts"

/** The result, or `{ code, message }` of the fault. */
export const runTool = Effect.fnUntraced(function*(tool: string, sent: unknown, cwd: string, parts: Partial<ToolSite> = {}) {
  const call = Result.getOrThrow(checkCall(tool, sent))
  if (!isFileCall(call)) throw new Error(`${tool} is no file tool`)
  return yield* (yield* CatalogTools).run(call, makeSite(cwd, parts)).pipe(
    Effect.catch(({ code, message }) => Effect.succeed({ code, message }))
  )
})
