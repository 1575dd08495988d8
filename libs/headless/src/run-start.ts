/**
 * `run start`: admits a Run, waits until it rests, answers with it.
 *
 * Ordering: every option is checked before stdin is read, and INPUT before a home is opened; only where nobody names a
 * harness, what its options mean is known with the home.
 */
import type { Problem } from "@steno/contracts"
import { PortProblem, ProjectionPort } from "@steno/projection-port"
import { Effect, type Layer, Option, Result } from "effect"
import { answerProblem } from "./answers.ts"
import { callerPath } from "./caller-path.ts"
import { Command, Flag, switchFlag, textFlag } from "./cli-engine.ts"
import { driveStart } from "./driven-run.ts"
import { givenText, textArgument } from "./given-text.ts"
import { operationIdFlag } from "./operation-id-option.ts"
import { jsonFlag } from "./run-shared-arguments.ts"
import { checkHarness, checkOptions, type StartOptions, startPath, startRequest } from "./start-request.ts"
import { type WrongUsage } from "./wrong-usage.ts"

const config = {
  harness: textFlag("harness", "ID", "What carries the Turn out: command, hosted, or another of harness list (default: the setting defaultHarness, else command)"),
  model: textFlag("model", "M", "Which model it asks, as the harness names it: anthropic/…, script:FILE"),
  effort: textFlag("effort", "E", "How much the model thinks, as its provider names it"),
  approvals: Flag.Literals("approvals", ["deny", "allow", "ask"]).pipe(
    Flag.withMetavar("deny|allow|ask"),
    Flag.withDescription("What approvals are answered with; ask leaves them to a person (default deny)"),
    Flag.optional
  ),
  agentCalls: Flag.Literals("agent-calls", ["off", "accept", "review"]).pipe(
    Flag.withMetavar("off|accept|review"),
    Flag.withDescription("Whether the agent may say that the Run is done or has failed; review holds that for a person (default off)"),
    Flag.optional
  ),
  interactive: switchFlag("interactive", "Between Turns the Run waits for a person, until run end"),
  session: Flag.String("session").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Name of the first Session (default main)"),
    Flag.optional
  ),
  workspace: textFlag("workspace", "DIR", "Directory to work in (default: the current one)"),
  entry: switchFlag("entry", "A program wrote the INPUT, not a person"),
  timeoutMs: Flag.Int("timeout-ms").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Wall time of the first Turn in milliseconds, 1 to 86400000 (default: no limit)"),
    Flag.optional
  ),
  operationId: operationIdFlag,
  json: jsonFlag,
  input: textArgument("INPUT", "The command, or what the agent is told")
}

/** A Problem that was decided here travels as one of the Port's. */
const accepted = <A>(decided: Result.Result<A, Problem | WrongUsage>): Effect.Effect<A, PortProblem | WrongUsage> =>
  Result.match(decided, {
    onSuccess: Effect.succeed,
    onFailure: (refusal) => Effect.fail("code" in refusal ? new PortProblem({ problem: refusal }) : refusal)
  })

/** Only the home knows which harness is taken where nobody names one. */
const start = Effect.fnUntraced(function*(options: StartOptions, input: string, json: boolean) {
  const port = yield* ProjectionPort
  const harness = options.harness ?? (yield* port.defaultHarness)
  yield* accepted(checkHarness(harness, options))
  yield* driveStart(startRequest(options, harness, input), json)
})

/** The options are told so that what they name can be made ready while the home is opened. */
export type OpenStart<R> = (options: StartOptions) => Layer.Layer<ProjectionPort, PortProblem, R>

export const startCommand = <R>(openPort: OpenStart<R>) =>
  Command.make(
    "start",
    config,
    Effect.fn("run start")(function*(options) {
      const given = {
        harness: Option.getOrUndefined(options.harness),
        model: Option.getOrUndefined(options.model),
        effort: Option.getOrUndefined(options.effort),
        approvals: Option.getOrUndefined(options.approvals),
        agentCalls: Option.getOrUndefined(options.agentCalls),
        interactive: options.interactive,
        session: Option.getOrUndefined(options.session),
        entry: options.entry,
        timeoutMs: Option.getOrUndefined(options.timeoutMs),
        operationId: Option.getOrUndefined(options.operationId)
      }
      return yield* Effect.gen(function*() {
        yield* accepted(checkOptions(given))
        const workspace = yield* callerPath(Option.getOrElse(options.workspace, () => "."))
        const input = yield* givenText(options.input, "INPUT", startPath)
        const wanted = { ...given, workspace }
        return yield* Effect.provide(start(wanted, input, options.json), openPort(wanted))
      }).pipe(
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json: options.json }))
      )
    })
  ).pipe(
    Command.withShortDescription("Run something and wait for its result"),
    Command.withDescription("Admits a Run, drives its first Turn to rest and shows it. Exits 0 when the Run succeeded, 2 when it is blocked, else 1."),
    Command.withExamples([{ command: "steno run start --harness command -- 'npm test'" }])
  )
