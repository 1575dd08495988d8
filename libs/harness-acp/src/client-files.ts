/**
 * Reading and writing files for an agent that asks its client to: each is one executed call.
 *
 * Owns: the forms of these requests and their answers.
 * Never owns: judging and touching files (the host).
 * Ordering: a text that is longer than one call of the host's `read` gives is read by several, one behind the other.
 * Limits: a text is handed over whole or not at all; above `mostTextUnits` it has to be asked for in parts. A change between two calls
 * is noticed where the file has more or fewer lines then. What is no UTF-8, and a mark at the beginning, is decoded as the host's `read` does.
 */
import type { ItemId, TurnProducer } from "@steno/harness-seam"
import { Effect, type Schema } from "effect"
import { ClientFault, refusedExecution } from "./client-fault.ts"
import { countOf, type JsonRecord, recordOf, textOf, wordsOf } from "./lenient-value.ts"

export interface ClientFiles {
  readonly turn: TurnProducer
  /** The call that the agent reports for this file and that was not told yet. */
  readonly callFor: (path: string) => ItemId | undefined
}

/** The most that one `read` may be asked for. */
const pieceLines = 2_000
const mostTextUnits = 8 * 1024 * 1024

const refuse = (message: string) => Effect.fail(new ClientFault("refused", message))
const misshapen = (message: string) => Effect.fail(new ClientFault("invalid-params", message))

const runFileTool = Effect.fnUntraced(function*(turn: TurnProducer, tool: "read" | "write", input: Schema.JsonObject, itemId: ItemId | undefined) {
  const answer = yield* turn.execute(tool, input, itemId)
  if (answer.kind !== "started") return yield* Effect.fail(refusedExecution(answer))
  const { outcome, reason, value } = yield* answer.settled
  return outcome === "completed" ? value : yield* refuse(reason ?? `The ${tool} ended ${outcome}`)
})

interface Piece {
  readonly text: string
  /** The first line behind it; undefined: there is none. */
  readonly nextLine: number | undefined
  readonly totalLines: number | undefined
}

/** Undefined: no text, or only a part of one line. */
const pieceOf = (value: unknown): Piece | undefined => {
  const { bytes, content, kind, nextLine, totalLines } = recordOf(value)
  const text = textOf(content)
  if (kind !== "text" || text === undefined || bytes !== undefined) return undefined
  return { text, nextLine: countOf(nextLine), totalLines: countOf(totalLines) }
}

export const readTextFile = Effect.fnUntraced(function*(
  { callFor, turn }: ClientFiles,
  params: JsonRecord
): Effect.fn.Return<JsonRecord, ClientFault> {
  const path = wordsOf(params.path)
  if (path === undefined) return yield* misshapen("A file needs a path")
  let [line, left] = [Math.max(1, countOf(params.line) ?? 1), countOf(params.limit) ?? Number.POSITIVE_INFINITY]
  const texts: Array<string> = []
  let [units, totalLines, itemId]: [number, number | undefined, ItemId | undefined] = [0, undefined, callFor(path)]
  while (left > 0) {
    const value = yield* runFileTool(turn, "read", { path, offset: line, limit: Math.min(left, pieceLines) }, itemId)
    const piece = pieceOf(value)
    if (piece === undefined) return yield* refuse("It is no text that can be handed over")
    if (totalLines !== undefined && piece.totalLines !== totalLines) return yield* refuse("The file changed while it was read")
    units += piece.text.length
    if (units > mostTextUnits) return yield* refuse("The text is too long to be handed over at once: ask for lines of it")
    texts.push(piece.text)
    if (piece.nextLine === undefined || piece.nextLine <= line) break
    left -= piece.nextLine - line
    line = piece.nextLine
    totalLines = piece.totalLines
    itemId = undefined
  }
  return { content: texts.join("") }
})

export const writeTextFile = Effect.fnUntraced(function*(
  { callFor, turn }: ClientFiles,
  params: JsonRecord
): Effect.fn.Return<JsonRecord, ClientFault> {
  const [path, content] = [wordsOf(params.path), textOf(params.content)]
  if (path === undefined || content === undefined) return yield* misshapen("A file needs a path and a content")
  yield* runFileTool(turn, "write", { path, content }, callFor(path))
  return {}
})
