/**
 * `steno project FILE`: what a model would see of an output, and why.
 *
 * Owns: which facts a file has: its path, its size, and an exit code only where one was given.
 * Limits: the file is read once, in blocks; no home is opened.
 */
import { answerJson, answerProblem, callerPath, checkRange, explainedText, HeadlessInput, HeadlessOutput, jsonFlag, projectionText, switchFlag, WrongUsage } from "@steno/headless"
import { PortProblem } from "@steno/projection-port"
import type { OutputFile, OutputTool } from "@steno/result-projection"
import { Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "../cli-engine.ts"
import { fileBlocks } from "../read-file.ts"

/** Loaded when something is projected: no other command needs it. */
const resultProjection = Effect.promise(() => import("@steno/result-projection"))

/** A further one does not compile without a line here. */
const tools = { bash: true } satisfies Record<OutputTool, true>

const isOutputTool = (name: string): name is OutputTool => Object.hasOwn(tools, name)

const config = {
  exitCode: Flag.Int("exit-code").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Exit code of the command that wrote it, 0 to 255 (default: none is known)"),
    Flag.optional
  ),
  tool: Flag.Literals("tool", Object.keys(tools).filter(isOutputTool)).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Whose output it is (default bash)"),
    Flag.withDefault("bash" as const)
  ),
  explain: switchFlag("explain", "Say behind the text why each line was kept, and which are left out"),
  json: jsonFlag,
  file: Argument.String("FILE").pipe(Argument.withDescription("The output; - reads stdin"))
}

/** Its bytes, and where they can be read again. */
const sourceOf = Effect.fnUntraced(function*(typed: string) {
  if (typed.trim() === "") return yield* new WrongUsage({ explanation: "FILE must not be blank.", fields: ["FILE"], commandPath: ["steno", "project"] })
  if (typed === "-") return { bytes: (yield* HeadlessInput).stdin, place: {} }
  const path = yield* callerPath(typed)
  return { bytes: fileBlocks(path), place: { path } }
})

const checkedExitCode = (exitCode: number | undefined): Effect.Effect<Pick<OutputFile, "exitCode">, PortProblem> =>
  Result.match(checkRange(exitCode, { field: "exit-code", minimum: 0, maximum: 255 }), {
    onFailure: (problem) => Effect.fail(new PortProblem({ problem })),
    onSuccess: () => Effect.succeed(exitCode === undefined ? {} : { exitCode })
  })

export const projectCommand = Command.make(
  "project",
  config,
  Effect.fn("project")(function*({ exitCode, explain, file, json, tool }) {
    yield* Effect.gen(function*() {
      const output = yield* HeadlessOutput
      const end = yield* checkedExitCode(Option.getOrUndefined(exitCode))
      const { bytes, place } = yield* sourceOf(file)
      const { outputFacts, outputTools, projectionDocument, readOutput } = yield* resultProjection
      const reading = yield* readOutput({ bytes, ...end })
      const document = projectionDocument(outputTools[tool](reading, outputFacts({ ...place, ...end, tool, bytes: reading.totalBytes })))
      yield* json ? answerJson(document) : output.stdout(explain ? explainedText(document) : projectionText(document))
    }).pipe(
      Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json }))
    )
  })
).pipe(
  Command.withShortDescription("Show what a model would see of an output"),
  Command.withDescription("Prints what a model would see of an output that lies in a file: all of it where that fits, else the lines that say most of it."),
  Command.withExamples([{ command: "steno project build.log --exit-code 1 --explain" }])
)
