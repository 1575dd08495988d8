/** `run read --transcript`: a page of a Session's stored conversation; with `--json` the complete export beside it. */
import type { TranscriptDocument } from "@steno/contracts"
import { ProjectionPort, type TranscriptQuery } from "@steno/projection-port"
import { Effect } from "effect"
import { answerJson } from "./answers.ts"
import { HeadlessOutput } from "./headless-ports.ts"
import { olderEntriesText, transcriptText } from "./transcript-text.ts"

export const readTranscript = Effect.fnUntraced(function*(query: TranscriptQuery, json: boolean) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const page = yield* port.readTranscript(query)
  if (json) {
    const { cursor: _cursor, ...session } = query
    const document: typeof TranscriptDocument.Type = { page, export: yield* port.exportTranscript(session) }
    return yield* answerJson(document)
  }
  yield* output.stdout(transcriptText(page))
  const older = olderEntriesText(page)
  if (older !== undefined) yield* output.stderr(older)
})
