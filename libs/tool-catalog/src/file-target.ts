/**
 * The file that `write` and `edit` change: its turn, its content, and whether this Session may still replace it.
 *
 * Owns: the refusal to overwrite what this Session has not seen as it is.
 * Ordering: the turn of the file comes first; path, content and state are looked at after it. All of that can be interrupted, what
 * comes after the new content stands cannot.
 */
import type { MutationResult } from "@steno/result-projection"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { resolve } from "node:path"
import { writeAtomically } from "./atomic-write.ts"
import { type FileBefore, FileChanges } from "./file-changes.ts"
import { FileQueues } from "./file-queues.ts"
import { FileStates } from "./file-states.ts"
import { attempt, forEachBlock, statOf, withOpenFile } from "./file-system.ts"
import { shownPath } from "./resolved-path.ts"
import { ChangedMeanwhile, faultOf, PathMoved, type ToolFault, WrongKind } from "./tool-faults.ts"
import { sitePath, type ToolSite } from "./tool-site.ts"

/** What stands at the target, as it was when it was looked at. */
export interface PresentFile {
  readonly state: BigIntStats
  readonly digest: string
  /** Absent where the file is larger than was asked for. */
  readonly content?: Uint8Array
}

export interface FileTarget {
  readonly given: string
  readonly real: string
  /** As results name it. */
  readonly shown: string
  readonly present: PresentFile | undefined
  /** Whether this Session has seen what stands there. */
  readonly isSeen: boolean
}

export const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

const presentAt = (real: string, given: string, mostBytes: number): Effect.Effect<PresentFile, ToolFault> =>
  withOpenFile(real, (handle) =>
    Effect.gen(function*() {
      const state = yield* statOf(handle, given)
      if (state.size <= mostBytes) {
        const content = yield* attempt("read it", given, () => handle.readFile())
        return { state, digest: digestOf(content), content }
      }
      const digest = createHash("sha256")
      yield* forEachBlock(handle, given, (block) => digest.update(block))
      return { state, digest: digest.digest("hex") }
    }))

const lookAt = Effect.fnUntraced(function*(
  given: string,
  site: ToolSite,
  mostBytes: number
): Effect.fn.Return<FileTarget, ToolFault, FileStates> {
  const path = yield* sitePath(given, site)
  if (path.kind === "directory") {
    return yield* faultOf(new WrongKind({ path: given, found: "a folder", advice: "name a file in it" }))
  }
  if (path.kind !== undefined && path.kind !== "file") {
    return yield* faultOf(new WrongKind({ path: given, found: "neither a file nor a folder", advice: "only files can be changed" }))
  }
  const noted = yield* (yield* FileStates).noted(site.conversationId, path.real)
  const target = { given, real: path.real, shown: shownPath(path.real, site.cwd), isSeen: noted !== undefined }
  if (path.kind === undefined) {
    return noted === undefined ? { ...target, present: undefined } : yield* faultOf(new ChangedMeanwhile({ path: given, how: "removed" }))
  }
  const present = yield* presentAt(path.real, given, mostBytes)
  return noted === undefined || noted === present.digest
    ? { ...target, present }
    : yield* faultOf(new ChangedMeanwhile({ path: given, how: "content" }))
})

/**
 * Runs `change` when it is the file's turn. Fails with `ChangedMeanwhile` when the Session saw another content than stands there.
 *
 * @param mostBytes up to this size the content is handed over
 */
export const withFileTarget = <A, E, R>(
  given: string,
  site: ToolSite,
  mostBytes: number,
  change: (target: FileTarget) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ToolFault, R | FileStates | FileQueues> =>
  Effect.scoped(Effect.gen(function*() {
    const { real } = yield* sitePath(given, site)
    const place = site.place ?? (yield* (yield* FileQueues).enter(real))
    yield* Effect.interruptible(place.turn)
    const target = yield* Effect.interruptible(lookAt(given, site, mostBytes))
    return target.real === place.real
      ? yield* change(target)
      : yield* faultOf(new PathMoved({ path: given, leadsTo: target.real }))
  }))

/** Warnings of a path that leads through a link. */
const linkWarnings = ({ given, real, shown }: FileTarget, cwd: string): MutationResult["warnings"] =>
  resolve(cwd, given) === real ? [] : [`The path leads through a link; the file is ${shown}.`]

const beforeOf = ({ present }: FileTarget): FileBefore =>
  present === undefined
    ? { kind: "nothing" }
    : present.content === undefined
    ? { kind: "unread" }
    : { kind: "content", bytes: present.content }

/** Writes and remembers; what the result should say beside it. */
export const replaceContent = Effect.fnUntraced(function*(target: FileTarget, content: Uint8Array, site: ToolSite) {
  const states = yield* FileStates
  const changes = yield* FileChanges
  const { real, shown } = target
  const placed = Effect.andThen(
    states.note(site.conversationId, real, digestOf(content)),
    changes.note(site.turnId, site.callId, { real, shown, before: beforeOf(target), after: content })
  )
  const { warnings } = yield* writeAtomically(target.real, content, target.present?.state, placed, site.callId)
  return [...linkWarnings(target, site.cwd), ...warnings]
})
