/** `run list`: Runs, newest first. */
import { runListLimits } from "@steno/contracts"
import { type PortProblem, ProjectionPort, type RunListQuery } from "@steno/projection-port"
import { Effect, type Layer, Option, Result } from "effect"
import { answerJson, answerProblem } from "./answers.ts"
import { checkRange } from "./checked-numbers.ts"
import { Command, Flag, switchFlag, textFlag } from "./cli-engine.ts"
import { HeadlessInput, HeadlessOutput } from "./headless-ports.ts"
import { moreRunsText, runListText } from "./run-list-text.ts"
import { jsonFlag } from "./run-shared-arguments.ts"

const config = {
  resumable: switchFlag("resumable", "Only Runs that can be resumed"),
  all: switchFlag("all", "Runs of every workspace, not only of the current directory"),
  before: textFlag("before", "C", "Go on from the nextCursor of an earlier list"),
  limit: Flag.Int("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`At most so many Runs, 1 to ${runListLimits.maximumRows} (default ${runListLimits.defaultRows})`),
    Flag.withDefault(runListLimits.defaultRows)
  ),
  json: jsonFlag
}

const list = Effect.fnUntraced(function*(filter: Omit<RunListQuery, "workspacePath">, options: { readonly all: boolean; readonly json: boolean }) {
  const input = yield* HeadlessInput
  const query = options.all ? filter : { ...filter, workspacePath: yield* input.cwd }
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const document = yield* port.listRuns(query)
  if (options.json) return yield* answerJson(document)
  yield* output.stdout(runListText(document))
  const more = moreRunsText(document)
  if (more !== undefined) yield* output.stderr(more)
})

export const listCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "list",
    config,
    Effect.fn("run list")(function*({ all, before, json, limit, resumable }) {
      const checked = checkRange(limit, { field: "limit", minimum: 1, maximum: runListLimits.maximumRows })
      if (Result.isFailure(checked)) return yield* answerProblem(checked.failure, { json })
      const filter = { ...(Option.isSome(before) ? { before: before.value } : {}), resumable, limit }
      return yield* list(filter, { all, json }).pipe(
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
      )
    })
  ).pipe(
    Command.withShortDescription("List Runs, newest first"),
    Command.withDescription("Lists the Runs of the current directory, newest first."),
    Command.withExamples([{ command: "steno run list --all --limit 50" }])
  )
