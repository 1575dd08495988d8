/** `run read`: captured output of one call, as a page of lines, as bytes, or as a model sees it and why; or a Session's transcript. */
import { type CallOutputDocument, pageLimits, type TranscriptDocument } from "@steno/contracts"
import { type CallReadQuery, type PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Option, Result, Stream } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { pageNote, pageText } from "./call-output-text.ts"
import { checkRange } from "./checked-numbers.ts"
import { Command, Flag, switchFlag, textFlag } from "./cli-engine.ts"
import { type HeadlessInput, HeadlessOutput } from "./headless-ports.ts"
import { explainedText } from "./projection-text.ts"
import { chooseRead, readPath } from "./run-read-choice.ts"
import { readTranscript } from "./run-read-transcript.ts"
import { sessionArgument, sessionReference, wholeRunReference } from "./run-reference.ts"
import { jsonFlag } from "./run-shared-arguments.ts"
import { type WrongUsage } from "./wrong-usage.ts"

const config = {
  call: textFlag("call", "CALL", "Call id, a unique prefix of it, or its number in the Run (1 is the first)"),
  transcript: switchFlag("transcript", "Read the conversation: the newest entries, or those before --cursor"),
  cursor: textFlag("cursor", "C", "Go on with the older entries of an earlier page of the transcript"),
  stream: Flag.Literals("stream", ["output", "stdout", "stderr"]).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Which stream; output is both in order of arrival (default output)"),
    Flag.optional
  ),
  offset: Flag.Int("offset").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("First line, counted from 0 (default: the last lines)"),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`At most so many lines, 1 to ${pageLimits.maximumLines} (default ${pageLimits.defaultLines})`),
    Flag.optional
  ),
  raw: switchFlag("raw", "Write the bytes of the whole stream and nothing else"),
  explain: switchFlag("explain", "Show what a model sees of the call, and why each line was kept"),
  json: jsonFlag,
  run: sessionArgument
}

/** The same for a call and for a transcript. */
const problemDocument = (problem: PortProblem["problem"]): typeof CallOutputDocument.Type & typeof TranscriptDocument.Type => ({ found: false, problem })

const readPage = Effect.fnUntraced(function*(query: CallReadQuery, json: boolean) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const page = yield* port.readCall(query)
  if (json) return yield* answerJson(page)
  yield* output.stdout(pageText(page, output.terminal.stdout))
  const note = pageNote(page)
  if (note !== undefined) yield* output.stderr(note)
})

const readBytes = Effect.fnUntraced(function*(query: CallReadQuery) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  yield* Stream.runForEach(port.callBytes(query), output.stdout)
})

const readExplanation = Effect.fnUntraced(function*(query: Pick<CallReadQuery, "run" | "call">, json: boolean) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const document = yield* port.explainCall(query)
  yield* json ? answerJson(document) : output.stdout(explainedText(document))
})

export const readCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "read",
    config,
    Effect.fn("run read")(function*({ call, cursor, explain, json, limit, offset, raw, run, stream, transcript }) {
      yield* Effect.fromResult(chooseRead({
        call: Option.isSome(call),
        transcript,
        cursor: Option.isSome(cursor),
        stream: Option.isSome(stream),
        offset: Option.isSome(offset),
        limit: Option.isSome(limit),
        raw,
        explain,
        json
      }))
      const answer = <Reference>(
        reference: Effect.Effect<Reference, PortProblem | WrongUsage, HeadlessInput>,
        read: (reference: Reference) => Effect.Effect<void, PortProblem, ProjectionPort | HeadlessOutput>
      ) =>
        Effect.flatMap(reference, (named) => Effect.provide(read(named), openPort)).pipe(
          Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json, document: problemDocument(problem) }))
        )
      if (Option.isNone(call)) {
        const more = Option.isSome(cursor) ? { cursor: cursor.value } : {}
        return yield* answer(sessionReference(run, readPath), (session) => readTranscript({ ...session, ...more }, json))
      }
      const checked = Result.andThen(
        checkRange(Option.getOrUndefined(offset), { field: "offset", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        () => checkRange(Option.getOrUndefined(limit), { field: "limit", minimum: 1, maximum: pageLimits.maximumLines })
      )
      if (Result.isFailure(checked)) {
        return yield* answerProblem(checked.failure, { json, document: problemDocument(checked.failure) })
      }
      const part: Omit<CallReadQuery, "run"> = {
        call: call.value,
        stream: Option.getOrElse(stream, () => "output" as const),
        ...(Option.isSome(offset) ? { offset: offset.value } : {}),
        ...(Option.isSome(limit) ? { limit: limit.value } : {})
      }
      return yield* answer(wholeRunReference(run, readPath), (reference) => {
        const query = { run: reference, ...part }
        if (explain) return readExplanation({ run: reference, call: call.value }, json)
        return raw ? readBytes(query) : readPage(query, json)
      })
    })
  ).pipe(
    Command.withShortDescription("Read the output of a call, or the transcript"),
    Command.withDescription("With --call prints lines of the captured output of one call, the last ones unless an offset is given; with --explain what a model sees of that call and why; with --transcript the stored conversation, newest page first."),
    Command.withExamples([{ command: "steno run read @last --call 1 --stream stderr --offset 0" }])
  )
