/**
 * Reading and writing files for an agent that asks its client to: each is one executed call.
 *
 * Owns: the forms of these requests and their answers.
 * Never owns: judging and touching files (the host).
 * Limits: a text that the host did not keep whole is refused rather than handed over in part.
 */
import type { ItemId, TurnProducer } from "@steno/harness-seam"
import { Effect, type Schema } from "effect"
import { ClientFault, refusedExecution } from "./client-fault.ts"
import { countOf, type JsonRecord, textOf, wordsOf } from "./lenient-value.ts"

export interface ClientFiles {
  readonly turn: TurnProducer
  /** The call that the agent reports for this file and that was not told yet. */
  readonly callFor: (path: string) => ItemId | undefined
}

const runFileTool = Effect.fnUntraced(function*(
  { callFor, turn }: ClientFiles,
  tool: "read" | "write",
  path: string,
  input: Schema.JsonObject
) {
  const answer = yield* turn.execute(tool, input, callFor(path))
  if (answer.kind !== "started") return yield* Effect.fail(refusedExecution(answer))
  const end = yield* answer.settled
  if (end.outcome !== "completed") return yield* Effect.fail(new ClientFault("refused", `The ${tool} ended ${end.outcome}`))
  return answer.output()
})

export const readTextFile = Effect.fnUntraced(function*(
  files: ClientFiles,
  params: JsonRecord
): Effect.fn.Return<JsonRecord, ClientFault> {
  const path = wordsOf(params.path)
  if (path === undefined) return yield* Effect.fail(new ClientFault("invalid-params", "A file needs a path"))
  const [offset, limit] = [countOf(params.line), countOf(params.limit)]
  const { dropped, text } = yield* runFileTool(files, "read", path, {
    path,
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit })
  })
  if (dropped === true) return yield* Effect.fail(new ClientFault("refused", "The text is longer than what is kept of it"))
  return { content: text }
})

export const writeTextFile = Effect.fnUntraced(function*(
  files: ClientFiles,
  params: JsonRecord
): Effect.fn.Return<JsonRecord, ClientFault> {
  const [path, content] = [wordsOf(params.path), textOf(params.content)]
  if (path === undefined || content === undefined) {
    return yield* Effect.fail(new ClientFault("invalid-params", "A file needs a path and a content"))
  }
  yield* runFileTool(files, "write", path, { path, content })
  return {}
})
