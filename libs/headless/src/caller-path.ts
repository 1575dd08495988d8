/** Paths as a person types them. */
import { Effect, Path } from "effect"
import { HeadlessInput } from "./headless-ports.ts"

/** Absolute. Only a relative path depends on the caller's directory, so only it fails where that is gone. */
export const callerPath = Effect.fnUntraced(function*(typed: string) {
  const input = yield* HeadlessInput
  const path = yield* Path.Path
  return path.isAbsolute(typed) ? path.resolve(typed) : path.resolve(yield* input.cwd, typed)
})
