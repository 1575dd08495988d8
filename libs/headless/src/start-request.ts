/**
 * Decides what `run start` submits.
 *
 * Owns: joining INPUT, defaults, and what is refused before the Port is asked.
 * Limits: pure; whether a Workspace or Harness exists is the application's to say.
 */
import { commandTimeoutMs, defaultSessionName, type Problem, sessionNameCharacters, type StartInput } from "@steno/contracts"
import { Result } from "effect"
import { checkRange } from "./checked-numbers.ts"
import { checkOperationId } from "./operation-id-option.ts"
import { WrongUsage } from "./wrong-usage.ts"

export interface StartOptions {
  readonly harness: string | undefined
  readonly session: string | undefined
  /** Absolute. */
  readonly workspace: string
  readonly entry: boolean
  readonly timeoutMs: number | undefined
  readonly operationId: string | undefined
}

export interface StartRequest {
  readonly operationId?: string
  readonly input: StartInput
}

/** The only Harness there is when nobody names one. */
const onlyHarness = "command"
const commandPath = ["steno", "run", "start"]

const inputBlank: Problem = {
  code: "input-blank",
  explanation: "INPUT is blank, so there is nothing to run.",
  remediation: "Give a command after \"--\", or \"-\" with a command on stdin.",
  possibleEffects: "none"
}

const wrongUsage = (explanation: string) => Result.fail(new WrongUsage({ explanation, commandPath }))

const checkSession = (session: string): Result.Result<void, WrongUsage> => {
  if (session.trim() === "" || /[/\u0000-\u001f\u007f]/.test(session)) {
    return wrongUsage("--session must not be blank and must not contain \"/\" or control characters.")
  }
  return Array.from(session).length > sessionNameCharacters
    ? wrongUsage(`--session must have at most ${sessionNameCharacters} characters.`)
    : Result.void
}

/** Everything but INPUT, so that a wrong option is refused before stdin is read. */
export const checkOptions = (options: Pick<StartOptions, "session" | "operationId" | "timeoutMs">): Result.Result<void, Problem | WrongUsage> =>
  Result.gen(function*() {
    yield* checkSession(options.session ?? defaultSessionName)
    yield* checkOperationId(options.operationId, commandPath)
    yield* checkRange(options.timeoutMs, { field: "timeout-ms", ...commandTimeoutMs })
  })

/** The text on stdin, exactly; bytes that are no UTF-8 are refused, for what runs must be what was given. */
export const inputOfStdin = (bytes: Uint8Array): Result.Result<string, WrongUsage> =>
  Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)).pipe(
    Result.mapError(() =>
      new WrongUsage({ explanation: "INPUT on stdin is not valid UTF-8, so it would not run as it was given.", commandPath })
    )
  )

/** @param options already checked */
export const startRequest = (options: StartOptions, input: string): Result.Result<StartRequest, Problem> =>
  input.trim() === ""
    ? Result.fail(inputBlank)
    : Result.succeed({
      ...(options.operationId === undefined ? {} : { operationId: options.operationId }),
      input: {
        operation: "start",
        workspace: options.workspace,
        harness: options.harness ?? onlyHarness,
        session: options.session ?? defaultSessionName,
        input,
        kind: "once",
        ...(options.entry ? { entry: true } : {}),
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs })
      }
    })
