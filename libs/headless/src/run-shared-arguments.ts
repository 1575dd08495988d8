/** Arguments and options that several `run` commands take. */
import type { RunReference } from "@steno/projection-port"
import { Effect } from "effect"
import { Argument, switchFlag } from "./cli-engine.ts"
import { HeadlessInput } from "./headless-ports.ts"

export const runArgument = Argument.String("RUN").pipe(
  Argument.withDescription("Run id, a unique prefix of it (at least 8 characters after run_), or @last")
)

/** RUN as typed. Only `@last` depends on the caller's directory, so only it fails where that is gone. */
export const runReference = Effect.fnUntraced(function*(text: string) {
  const input = yield* HeadlessInput
  const reference: RunReference = { text, workspacePath: text === "@last" ? yield* input.cwd : "" }
  return reference
})

export const jsonFlag = switchFlag("json", "Print exactly one JSON document on stdout")
