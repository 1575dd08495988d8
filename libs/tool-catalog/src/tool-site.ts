/**
 * Where a call runs, and the way from its words to a path it may use.
 *
 * Owns: that a call uses the paths that were judged, and no other.
 */
import type { CallId, ConversationId, TurnId } from "@steno/contracts"
import { Effect } from "effect"
import type { FilePlace } from "./file-queues.ts"
import { type ResolvedPath, resolvePath } from "./resolved-path.ts"
import { faultOf, PathMoved, type ToolFault } from "./tool-faults.ts"

export interface ToolSite {
  readonly callId: CallId
  readonly conversationId: ConversationId
  readonly turnId: TurnId
  /** The Session's folder, absolute and without links. */
  readonly cwd: string
  /** Paths that were judged (`subjectsOf`); absent: nobody judged. */
  readonly judged?: ReadonlyArray<string>
  /** Taken in content order; absent: one is taken when the call begins. */
  readonly place?: FilePlace
}

/** Fails with `PathMoved` when the path leads elsewhere than it was judged to. */
export const sitePath = Effect.fnUntraced(function*(given: string, site: ToolSite): Effect.fn.Return<ResolvedPath, ToolFault> {
  const path = yield* resolvePath(given, site.cwd)
  return site.judged === undefined || site.judged.includes(path.real)
    ? path
    : yield* faultOf(new PathMoved({ path: given, leadsTo: path.real }))
})
