/** `run answer`: answers one pending interaction or review, then waits until the Run rests again. */
import { type AnswerInput, CallId, RequestId } from "@steno/contracts"
import { type PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Option, Schema } from "effect"
import { answerOf, answerPath } from "./answer-request.ts"
import { changeFlags, changeRun } from "./changed-run.ts"
import { Command, Flag, switchFlag, textFlag, textsFlag } from "./cli-engine.ts"
import { driveOn } from "./driven-run.ts"
import { runArgument } from "./run-shared-arguments.ts"

const config = {
  call: textFlag("call", "CALL", "Which call asks: an id, a unique prefix of it, or its number; needed where several ask"),
  allow: switchFlag("allow", "Approve the call"),
  deny: switchFlag("deny", "Refuse the call; the agent is told and goes on"),
  reason: textFlag("reason", "T", "Why, for the agent and the record"),
  always: Flag.Literals("always", ["session", "workspace", "user"]).pipe(
    Flag.withMetavar("session|workspace|user"),
    Flag.withDescription("With --allow: keep suggested rules there, so that this is not asked again"),
    Flag.optional
  ),
  rule: Flag.Int("rule").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Which suggested rule, by its number; may be repeated (default: those that name exactly what asks)"),
    Flag.atLeast(0)
  ),
  option: textsFlag("option", "ID", "Choose an option of the only question; may be repeated"),
  text: textFlag("text", "T", "Answer the only question in your own words"),
  answer: textsFlag("answer", "QUESTION=OPTION", "Choose an option of one of several questions; may be repeated"),
  answerText: textsFlag("answer-text", "QUESTION=TEXT", "Answer one of several questions in your own words; may be repeated"),
  dismiss: switchFlag("dismiss", "Answer none of the questions; the agent is told and goes on"),
  continue: switchFlag("continue", "Of a held Agent call: the Run goes on"),
  stop: switchFlag("stop", "Of a held Agent call: the Run rests as the agent said"),
  ...changeFlags,
  run: runArgument
}

const asCallId = Schema.decodeUnknownOption(CallId)
const asRequestId = Schema.decodeUnknownOption(RequestId)

/** A full id is passed on as typed; only a call may be named by less. */
const askingOf = Effect.fnUntraced(function*(runId: string, typed: string): Effect.fn.Return<
  Pick<AnswerInput, "callId" | "requestId">,
  PortProblem,
  ProjectionPort
> {
  const requestId = asRequestId(typed)
  if (Option.isSome(requestId)) return { requestId: requestId.value }
  const port = yield* ProjectionPort
  const callId = yield* Option.match(asCallId(typed), {
    onSome: Effect.succeed,
    onNone: () => port.resolveCall({ run: { text: runId, workspacePath: "" }, call: typed })
  })
  return { callId }
})

export const answerCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "answer",
    config,
    Effect.fn("run answer")((typed) => {
      const answer = answerOf({
        ...typed,
        reason: Option.getOrUndefined(typed.reason),
        always: Option.getOrUndefined(typed.always),
        text: Option.getOrUndefined(typed.text)
      })
      return changeRun(
        typed,
        { commandPath: answerPath, names: "run", answersWithRun: true, openPort },
        Effect.fromResult(answer),
        Effect.fnUntraced(function*({ request, runId }, value) {
          const asking = Option.isSome(typed.call) ? yield* askingOf(runId, typed.call.value) : {}
          yield* driveOn(
            request({ operation: "answer", runId, ...asking, answer: value, by: "person" }),
            { json: typed.json, typed: typed.run }
          )
        })
      )
    })
  ).pipe(
    Command.withShortDescription("Answer what a Run asks and wait for its result"),
    Command.withDescription("Answers exactly one approval, question or review that a Run waits for; run show says what asks and how it is answered. The Run goes on and is shown when it rests again. Exits 0 when it succeeded, 2 when it is blocked, else 1."),
    Command.withExamples([{ command: "steno run answer @last --allow --always session" }])
  )
