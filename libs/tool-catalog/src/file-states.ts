/**
 * What each Session last saw of each file, so that nobody overwrites what they never read.
 *
 * Owns: the digest of a file's content as `read`, `write` and `edit` of one Session last met it.
 * Never owns: the files. Nothing is stored: after a restart every file counts as not seen.
 * Limits: the latest 10,000 files per Session; a file pushed out counts as not seen.
 */
import type { ConversationId } from "@steno/contracts"
import { Context, Effect, Layer } from "effect"

const mostFiles = 10_000

export class FileStates extends Context.Service<FileStates, {
  /** `real` is a resolved path. */
  readonly note: (session: ConversationId, real: string, digest: string) => Effect.Effect<void>
  /** undefined: this Session has not seen it. */
  readonly noted: (session: ConversationId, real: string) => Effect.Effect<string | undefined>
  /** The Session has seen that nothing stands there. */
  readonly drop: (session: ConversationId, real: string) => Effect.Effect<void>
  /** When a Session ends. */
  readonly forget: (session: ConversationId) => Effect.Effect<void>
}>()("@steno/tool-catalog/FileStates") {
  static readonly layer = Layer.sync(FileStates, () => {
    const sessions = new Map<ConversationId, Map<string, string>>()
    return FileStates.of({
      note: (session, real, digest) =>
        Effect.sync(() => {
          const files = sessions.get(session) ?? new Map<string, string>()
          sessions.set(session, files)
          files.delete(real)
          files.set(real, digest)
          const [oldest] = files.size > mostFiles ? files.keys() : []
          if (oldest !== undefined) files.delete(oldest)
        }),
      noted: (session, real) => Effect.sync(() => sessions.get(session)?.get(real)),
      drop: (session, real) => Effect.sync(() => void sessions.get(session)?.delete(real)),
      forget: (session) => Effect.sync(() => void sessions.delete(session))
    })
  })
}
