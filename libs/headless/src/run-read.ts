/** `run read --call`: captured output of one call, as a page of lines or as bytes. */
import { type CallOutputDocument, pageLimits } from "@steno/contracts"
import { type CallReadQuery, type PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Option, Result, Stream } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { pageNote, pageText } from "./call-output-text.ts"
import { checkRange } from "./checked-numbers.ts"
import { Command, Flag, switchFlag } from "./cli-engine.ts"
import { HeadlessOutput } from "./headless-ports.ts"
import { jsonFlag, runArgument, runReference } from "./run-shared-arguments.ts"
import { WrongUsage } from "./wrong-usage.ts"

const config = {
  call: Flag.String("call").pipe(
    Flag.withMetavar("CALL"),
    Flag.withDescription("Call id, a unique prefix of it, or its number in the Run (1 is the first)")
  ),
  stream: Flag.Literals("stream", ["output", "stdout", "stderr"]).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Which stream; output is both in order of arrival (default output)"),
    Flag.withDefault("output" as const)
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
  json: jsonFlag,
  run: runArgument
}

const problemDocument = (problem: PortProblem["problem"]): typeof CallOutputDocument.Type => ({ found: false, problem })

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

const refuseRawWith = (options: { readonly json: boolean; readonly offset: boolean; readonly limit: boolean }) => {
  const others = (["json", "offset", "limit"] as const).filter((name) => options[name]).map((name) => `--${name}`)
  return others.length === 0
    ? Effect.void
    : Effect.fail(
      new WrongUsage({
        explanation: `--raw writes the whole stream and cannot be combined with ${others.join(" and ")}.`,
        commandPath: ["steno", "run", "read"]
      })
    )
}

export const readCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "read",
    config,
    Effect.fn("run read")(function*({ call, json, limit, offset, raw, run, stream }) {
      if (raw) yield* refuseRawWith({ json, offset: Option.isSome(offset), limit: Option.isSome(limit) })
      const checked = Result.andThen(
        checkRange(Option.getOrUndefined(offset), { field: "offset", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        () => checkRange(Option.getOrUndefined(limit), { field: "limit", minimum: 1, maximum: pageLimits.maximumLines })
      )
      if (Result.isFailure(checked)) {
        return yield* answerProblem(checked.failure, { json, document: problemDocument(checked.failure) })
      }
      return yield* runReference(run).pipe(
        Effect.flatMap((reference) => {
          const query: CallReadQuery = {
            run: reference,
            call,
            stream,
            ...(Option.isSome(offset) ? { offset: offset.value } : {}),
            ...(Option.isSome(limit) ? { limit: limit.value } : {})
          }
          return raw ? readBytes(query) : readPage(query, json)
        }),
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json, document: problemDocument(problem) }))
      )
    })
  ).pipe(
    Command.withShortDescription("Read the captured output of a call"),
    Command.withDescription("Prints lines of the captured output of one call, the last ones unless an offset is given."),
    Command.withExamples([{ command: "steno run read @last --call 1 --stream stderr --offset 0" }])
  )
