/** Opaque cursors of Run lists: version and the last Run of a page. */
import { RunId } from "@steno/contracts"
import { Effect, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { makeProblem } from "./problems.ts"

const Cursor = Schema.fromJsonString(Schema.Tuple([Schema.Literal(1), RunId]))
const decode = Schema.decodeUnknownResult(Cursor)

export const encodeListCursor = (runId: RunId): string => Base64Url.encode(JSON.stringify([1, runId]))

/** Fails with `cursor-invalid` for anything this release did not make, also for another spelling of it. */
export const decodeListCursor = Effect.fnUntraced(function*(text: string) {
  const decoded = Result.flatMap(Base64Url.decodeString(text), (json) => decode(json))
  if (Result.isSuccess(decoded) && encodeListCursor(decoded.success[1]) === text) return decoded.success[1]
  return yield* makeProblem(
    "cursor-invalid",
    "The cursor is not one that a Run list gave.",
    "Use the value of nextCursor exactly, or leave it out to start with the newest Run."
  )
})
