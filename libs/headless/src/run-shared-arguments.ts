/** Arguments and options that several `run` commands take. */
import { Argument, switchFlag } from "./cli-engine.ts"

export const runArgument = Argument.String("RUN").pipe(
  Argument.withDescription("Run id, a unique prefix of it (at least 8 characters after run_), or @last")
)

export const jsonFlag = switchFlag("json", "Print exactly one JSON document on stdout")
