/**
 * Puts a command's answer on the right stream.
 *
 * Owns: one JSON document on stdout, or text; Problems on stderr unless JSON was asked for; the exit code of a Problem.
 */
import type { Problem } from "@steno/contracts"
import { Effect } from "effect"
import { exitCodeOfProblem } from "./exit-codes.ts"
import { ExitCode, HeadlessOutput } from "./headless-ports.ts"
import { problemText } from "./problem-text.ts"

/** Two-space indented, newline at the end. */
export const jsonText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

export const answerJson = Effect.fnUntraced(function*(document: object) {
  const output = yield* HeadlessOutput
  yield* output.stdout(jsonText(document))
})

/** `document` is the JSON shape that carries the Problem; the bare Problem when the command has no other. */
export const answerProblem = Effect.fnUntraced(function*(
  problem: Problem,
  options: { readonly json: boolean; readonly document?: object }
) {
  const output = yield* HeadlessOutput
  const exitCode = yield* ExitCode
  yield* exitCode.set(exitCodeOfProblem(problem))
  yield* options.json
    ? output.stdout(jsonText(options.document ?? problem))
    : output.stderr(problemText(problem))
})
