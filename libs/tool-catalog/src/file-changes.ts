/**
 * What the `write` and `edit` calls of each Turn made of which files.
 *
 * Owns: the first and the last content of every file that a Turn changed, as long as the Turn may still tell of it.
 * Never owns: the files, how a change is shown (turn-diff). Nothing is stored: what another process changed is not known here.
 * Ordering: a change is noted as soon as the new content stands, also where its call is interrupted then.
 * Limits: contents of 32 MiB. Above, those of the Turn that changed a file the longest ago are forgotten with their calls; a file
 * that alone is too large is remembered without them.
 */
import type { CallId, TurnId } from "@steno/contracts"
import { Context, Effect, Layer } from "effect"

const mostBytes = 32 * 1024 * 1024

/** What stood at a path; `unread`: too large to be looked at. */
export type FileBefore = { readonly kind: "nothing" } | { readonly kind: "content"; readonly bytes: Uint8Array } | { readonly kind: "unread" }

export interface FileChange {
  /** A resolved path. */
  readonly real: string
  /** As results name it. */
  readonly shown: string
  readonly before: FileBefore
  readonly after: Uint8Array
}

/** From before the first change of a file to after its last one. */
export interface ChangedFile {
  readonly path: string
  readonly isCreated: boolean
  /** Absent where it was too large to be kept. */
  readonly contents?: { readonly before: Uint8Array | undefined; readonly after: Uint8Array }
}

export interface TurnChanges {
  readonly files: ReadonlyArray<ChangedFile>
  /** Calls whose changes are among them. */
  readonly calls: ReadonlySet<CallId>
}

interface ChangingTurn {
  readonly files: Map<string, ChangedFile>
  readonly calls: Set<CallId>
  bytes: number
}

const bytesOf = ({ contents }: ChangedFile): number => (contents?.before?.length ?? 0) + (contents?.after.length ?? 0)

const changed = (first: ChangedFile | undefined, { after, before, shown }: FileChange): ChangedFile => {
  if (first === undefined) {
    const file = { path: shown, isCreated: before.kind === "nothing" }
    return before.kind === "unread" ? file : { ...file, contents: { before: before.kind === "content" ? before.bytes : undefined, after } }
  }
  return first.contents === undefined ? first : { ...first, contents: { before: first.contents.before, after } }
}

const withoutContents = ({ isCreated, path }: ChangedFile): ChangedFile => ({ path, isCreated })

/** By Turn, the one that changed a file the longest ago first. */
class ChangingTurns {
  readonly #turns = new Map<TurnId, ChangingTurn>()
  #bytes = 0

  of(turnId: TurnId): TurnChanges {
    const turn = this.#turns.get(turnId)
    return { files: [...turn?.files.values() ?? []], calls: new Set(turn?.calls) }
  }

  note(turnId: TurnId, callId: CallId, change: FileChange): void {
    const turn = this.#turns.get(turnId) ?? { files: new Map(), calls: new Set(), bytes: 0 }
    this.#turns.delete(turnId)
    this.#turns.set(turnId, turn)
    turn.calls.add(callId)
    this.#put(turn, change.real, changed(turn.files.get(change.real), change))
    for (const [other] of this.#turns) {
      if (this.#bytes <= mostBytes || other === turnId) break
      this.forget(other)
    }
    const file = turn.files.get(change.real)
    if (this.#bytes > mostBytes && file !== undefined) this.#put(turn, change.real, withoutContents(file))
  }

  forget(turnId: TurnId): void {
    this.#bytes -= this.#turns.get(turnId)?.bytes ?? 0
    this.#turns.delete(turnId)
  }

  #put(turn: ChangingTurn, real: string, file: ChangedFile): void {
    const known = turn.files.get(real)
    const more = bytesOf(file) - (known === undefined ? 0 : bytesOf(known))
    turn.files.set(real, file)
    turn.bytes += more
    this.#bytes += more
  }
}

export class FileChanges extends Context.Service<FileChanges, {
  readonly note: (turnId: TurnId, callId: CallId, change: FileChange) => Effect.Effect<void>
  /** Empty where nothing of the Turn is known. */
  readonly ofTurn: (turnId: TurnId) => Effect.Effect<TurnChanges>
  /** When a Turn is settled. */
  readonly forget: (turnId: TurnId) => Effect.Effect<void>
}>()("@steno/tool-catalog/FileChanges") {
  static readonly layer = Layer.sync(FileChanges, () => {
    const turns = new ChangingTurns()
    return FileChanges.of({
      note: (turnId, callId, change) => Effect.sync(() => turns.note(turnId, callId, change)),
      ofTurn: (turnId) => Effect.sync(() => turns.of(turnId)),
      forget: (turnId) => Effect.sync(() => turns.forget(turnId))
    })
  })
}
