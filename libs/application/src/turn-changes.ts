/**
 * What the calls of a hosted Turn made of files, as its one diff.
 *
 * Owns: when that is known, which changes are only known from the record.
 * Never owns: contents of files and the form of the diff (tool-catalog).
 * Ordering: the open calls of the Turn are ended first, so that no file changes after its diff.
 */
import { callBlocks, type CallId, type StoredEvent, type TurnId } from "@steno/contracts"
import type { TurnHost } from "@steno/harness-seam"
import type { CallTurn, ToolCallService } from "@steno/tool-call-service"
import { type FileChanges, turnDiff } from "@steno/tool-catalog"
import { Effect } from "effect"
import { isAbsolute, relative, resolve } from "node:path"
import type { SessionContext } from "./session-context.ts"
import type { TurnRecording } from "./turn-recording.ts"

type AskedCall = ReturnType<typeof callBlocks>[number]["block"]

/** The file that a call is to change; undefined for every other call. */
const changedPath = (block: AskedCall): string | undefined => {
  if (block.tool !== "write" && block.tool !== "edit") return undefined
  const { dryRun, path } = "arguments" in block ? block.arguments : {}
  return typeof path === "string" && dryRun !== true ? path : undefined
}

const shownIn = (workspace: string, path: string): string => {
  const inside = relative(workspace, resolve(workspace, path))
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? resolve(workspace, path) : inside
}

/** Files that calls of the Turn changed, or may have, other than those whose changes are known; each once. */
export const unseenChanges = (
  events: ReadonlyArray<StoredEvent>,
  { turnId, workspace }: { readonly turnId: TurnId; readonly workspace: string },
  known: ReadonlySet<CallId>
): ReadonlyArray<string> => {
  const own = events.filter((event) => event.turnId === turnId)
  const ended = new Set(own.flatMap((event) =>
    event.type === "tool-call-response" && (event.payload.outcome === "completed" || event.payload.outcome === "indeterminate")
      ? [event.payload.callId]
      : []
  ))
  const paths = own.flatMap((event) => event.type === "assistant-message" ? callBlocks(event.payload) : []).flatMap(({ block }) => {
    const path = ended.has(block.callId) && !known.has(block.callId) ? changedPath(block) : undefined
    return path === undefined ? [] : [shownIn(workspace, path)]
  })
  return [...new Set(paths)]
}

export interface TurnDiffParts {
  readonly turn: CallTurn
  readonly toolCalls: ToolCallService["Service"]
  readonly changes: FileChanges["Service"]
  readonly recording: TurnRecording
  readonly context: SessionContext
  readonly isForced: () => boolean
}

export const makeTurnDiff = ({ changes, context, isForced, recording, toolCalls, turn }: TurnDiffParts): TurnHost["turnDiff"] =>
  Effect.gen(function*() {
    if (!recording.isOpen) return undefined
    yield* toolCalls.stopTurn(turn.turnId, { force: isForced() })
    const { calls, files } = yield* changes.ofTurn(turn.turnId)
    const events = yield* context
    return turnDiff(files, unseenChanges(events, turn, calls))
  }).pipe(Effect.catch((error) =>
    Effect.as(Effect.logWarning(`What Turn ${turn.turnId} changed is not told: ${error.message}`), undefined)
  ))
