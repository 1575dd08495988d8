/** `run export`: a Run with every Session's transcript and calls, as one document on stdout or in a file. */
import type { RunExport } from "@steno/contracts"
import { type PortProblem, ProjectionPort, type RunReference } from "@steno/projection-port"
import { Effect, type Layer, Option } from "effect"
import { answerProblem, jsonText } from "./answers.ts"
import { callerPath } from "./caller-path.ts"
import { Command, Flag } from "./cli-engine.ts"
import { exportMarkdown } from "./export-markdown.ts"
import { HeadlessFiles } from "./headless-files.ts"
import { HeadlessOutput } from "./headless-ports.ts"
import { wholeRunReference } from "./run-reference.ts"
import { runArgument } from "./run-shared-arguments.ts"
import { visibleLine } from "./visible-text.ts"
import { WrongUsage } from "./wrong-usage.ts"

const commandPath = ["steno", "run", "export"]
const formats = { md: exportMarkdown, json: jsonText } satisfies Record<string, (document: RunExport) => string>

const config = {
  format: Flag.Literals("format", ["md", "json"]).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("md is for people, json holds the exact values (default md)"),
    Flag.withDefault("md" as const)
  ),
  output: Flag.String("output").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Write into this file, replacing it, and print its path"),
    Flag.optional
  ),
  run: runArgument
}

const absolutePath = Effect.fnUntraced(function*(typed: string) {
  if (typed === "") return yield* new WrongUsage({ explanation: "--output must name a file.", fields: ["output"], commandPath })
  return yield* callerPath(typed)
})

const exportRun = Effect.fnUntraced(function*(run: RunReference, format: keyof typeof formats, file: string | undefined) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const text = formats[format](yield* port.exportRun(run))
  if (file === undefined) return yield* output.stdout(text)
  const files = yield* HeadlessFiles
  yield* files.write(file, text)
  yield* output.stdout(`${output.terminal.stdout ? visibleLine(file) : file}\n`)
})

export const exportCommand = <R>(openPort: Layer.Layer<ProjectionPort, PortProblem, R>) =>
  Command.make(
    "export",
    config,
    Effect.fn("run export")(function*({ format, output, run }) {
      const reference = yield* wholeRunReference(run, commandPath)
      const file = Option.isSome(output) ? yield* absolutePath(output.value) : undefined
      yield* exportRun(reference, format, file).pipe(
        Effect.provide(openPort),
        Effect.catchTag("PortProblem", ({ problem }) => answerProblem(problem, { json: false }))
      )
    })
  ).pipe(
    Command.withShortDescription("Export a Run as one document"),
    Command.withDescription("Prints a Run with the complete transcript and calls of every Session, and where the captured output lies."),
    Command.withExamples([{ command: "steno run export @last --output run.md" }])
  )
