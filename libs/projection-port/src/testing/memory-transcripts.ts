/**
 * Transcripts of Runs in memory, read the way a client reads them.
 *
 * Owns: pages of 20, their cursors, exports.
 * Limits: a cursor holds how many entries lie before its page; nothing is added to a Run in memory, so it stays good.
 */
import type { RunExport, RunSnapshot, TranscriptEntry, TranscriptExport, TranscriptPage } from "@steno/contracts"

const pageEntries = 20

/** One input per Turn, as a direct command leaves it. */
export const defaultTranscript = (run: RunSnapshot, session: string): ReadonlyArray<TranscriptEntry> =>
  run.turns.filter((turn) => turn.session === session).map((turn) => ({
    session,
    role: "user",
    content: run.calls.find((call) => call.turnId === turn.turnId)?.input ?? "",
    kind: turn.origin === "managed" ? "entry-prompt" : "message",
    turn: turn.turnId
  }))

const cursorForm = /^older-than-([1-9]\d*)$/

/** Undefined: nobody gave this cursor. `newest` is a Session's `transcriptPage`. */
export const pageOfTranscript = (
  entries: ReadonlyArray<TranscriptEntry>,
  cursor: string | undefined,
  newest: string
): TranscriptPage | undefined => {
  const older = cursor === undefined ? undefined : cursorForm.exec(cursor)?.[1]
  if (older === undefined && cursor !== undefined && cursor !== newest) return undefined
  const end = older === undefined ? entries.length : Number(older)
  if (older !== undefined && end >= entries.length) return undefined
  const start = Math.max(0, end - pageEntries)
  return {
    found: true,
    type: "transcript-page",
    entries: entries.slice(start, end),
    ...(start > 0 ? { older: `older-than-${start}` } : {})
  }
}

export const exportOfTranscript = (entries: ReadonlyArray<TranscriptEntry>): TranscriptExport => ({
  found: true,
  type: "transcript-export",
  entries
})

export const exportOfRun = (
  run: RunSnapshot,
  transcript: (run: RunSnapshot, session: string) => ReadonlyArray<TranscriptEntry>
): RunExport => ({
  family: "run-export",
  run,
  sessions: run.sessions.map(({ session }) => ({
    session,
    entries: transcript(run, session),
    calls: run.calls.filter((call) => call.session === session).map((call) => ({
      callId: call.callId,
      tool: call.tool,
      input: call.input,
      ...(call.outcome === undefined ? {} : { outcome: call.outcome }),
      ...(call.exitCode === undefined ? {} : { exitCode: call.exitCode }),
      ...(call.output === undefined ? {} : {
        output: {
          lines: call.output.lines,
          bytes: call.output.bytes,
          ...(call.output.droppedBytes === undefined ? {} : { droppedBytes: call.output.droppedBytes }),
          ...(call.output.path === undefined ? {} : { path: call.output.path })
        }
      })
    }))
  }))
})
