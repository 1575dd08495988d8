/**
 * Applies what drives a Run at rest on without an answer: a person's text, a resume.
 *
 * Owns: when a Run takes a further Turn, what a resume does.
 * Limits: an Operation starts one Turn, however often it is applied.
 */
import { type ConversationId, type ResumeInput, type SendInput, suspendedOn } from "@steno/contracts"
import type { LedgerError, RunRecord, TurnRow } from "@steno/ledger"
import type { PortProblem } from "@steno/projection-port"
import type { ToolCallError } from "@steno/tool-call-service"
import { Effect } from "effect"
import { awaitedAnswers } from "./answer-target.ts"
import { awaitsAnswer, notTaken, runTerminal } from "./control-problems.ts"
import { commandHarness } from "./harness-preparation.ts"
import { type BegunBy, turnIdOf } from "./operation-ids.ts"
import { makeProblem } from "./problems.ts"
import { resumeInput } from "./resume-input.ts"
import { sessionOf } from "./run-reference.ts"
import type { TurnStarts } from "./turn-starts.ts"

type Failure = LedgerError | PortProblem | ToolCallError

/** Fails where a Run takes no further Turn at all. */
export const takesTurns = ({ run: { harness, runId, state } }: RunRecord): Effect.Effect<void, PortProblem> =>
  harness.id === commandHarness
    ? Effect.fail(notTaken(runId))
    : state === "cancelled"
    ? Effect.fail(runTerminal(runId))
    : Effect.void

const isBegun = (record: RunRecord, operation: BegunBy) => record.turns.some(({ turnId }) => turnId === turnIdOf(operation))

export const sendText = Effect.fnUntraced(function*(
  starts: TurnStarts["Service"],
  record: RunRecord,
  operation: BegunBy,
  { session, text }: SendInput
): Effect.fn.Return<void, Failure> {
  if (isBegun(record, operation)) return
  yield* takesTurns(record)
  if (text.trim() === "") return yield* makeProblem("input-blank", "The input is empty.", "Give a text after `--`, or `-` to read it from stdin.")
  const { conversationId } = yield* sessionOf(record, session)
  const awaited = awaitedAnswers(record)
  if (awaited.length > 0) return yield* awaitsAnswer(record, awaited)
  yield* starts.start(record, { turnId: turnIdOf(operation), conversationId, origin: "user", input: text })
})

const hasStoredAnswer = ({ unfinished }: RunRecord, { turnId }: TurnRow) =>
  unfinished.some((row) => row.turnId === turnId && suspendedOn(row)?.resolution !== undefined)

export const resumeRun = Effect.fnUntraced(function*(
  starts: TurnStarts["Service"],
  record: RunRecord,
  operation: BegunBy & { readonly input: ResumeInput }
): Effect.fn.Return<void, Failure> {
  if (isBegun(record, operation)) return
  yield* takesTurns(record)
  const { turns } = record
  const stored = turns.find((turn) => turn.result === undefined && hasStoredAnswer(record, turn))
  if (stored !== undefined) return yield* Effect.asVoid(starts.goOn(record, stored))
  const awaited = awaitedAnswers(record)
  if (awaited.length > 0) return yield* awaitsAnswer(record, awaited)
  const conversationId: ConversationId = turns.at(-1)?.conversationId ?? (yield* sessionOf(record, undefined)).conversationId
  yield* starts.start(record, { turnId: turnIdOf(operation), conversationId, origin: "managed", input: resumeInput(record) })
})
