/**
 * Writes a Run as the answer of a command.
 *
 * Owns: which of its conversation is read beside it for a person: the newest page of each Session.
 * Limits: a conversation that cannot be read is told on stderr and hides nothing of the Run.
 */
import type { RunSnapshot } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Result } from "effect"
import { answerJson } from "./answers.ts"
import { HeadlessOutput, ProgramWords } from "./headless-ports.ts"
import { problemText } from "./problem-text.ts"
import { foundRun } from "./run-document.ts"
import { hasConversation } from "./run-story.ts"
import { runText } from "./run-text.ts"

const newestPages = Effect.fnUntraced(function*(run: RunSnapshot) {
  const port = yield* ProjectionPort
  const named = { text: run.runId, workspacePath: run.workspacePath }
  return yield* Effect.forEach(run.sessions, ({ session }) => port.readTranscript({ run: named, session }))
})

export const writeRun = Effect.fnUntraced(function*(run: RunSnapshot, json: boolean) {
  if (json) return yield* answerJson(foundRun(run))
  const output = yield* HeadlessOutput
  const pages = yield* Effect.result(hasConversation(run) ? newestPages(run) : Effect.succeed([]))
  yield* output.stdout(runText(run, {
    colour: output.colour,
    program: yield* ProgramWords,
    conversation: Result.getOrElse(pages, () => [])
  }))
  if (Result.isFailure(pages)) yield* output.stderr(problemText(pages.failure.problem))
})
