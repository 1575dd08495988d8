/**
 * Decides what `run start` submits.
 *
 * Owns: joining INPUT, defaults, and what is refused before the Port is asked.
 * Limits: pure; whether a Workspace or Harness exists is the application's to say.
 */
import { commandTimeoutMs, defaultSessionName, OperationId, type Problem, type StartInput } from "@steno/contracts"
import { Result, Schema } from "effect"
import { checkRange } from "./checked-numbers.ts"
import { WrongUsage } from "./wrong-usage.ts"

export interface StartOptions {
  readonly harness: string | undefined
  readonly session: string | undefined
  /** Absolute. */
  readonly workspace: string
  readonly entry: boolean
  readonly timeoutMs: number | undefined
  readonly operationId: string | undefined
  readonly input: string
}

export interface StartRequest {
  readonly operationId?: string
  readonly input: StartInput
}

/** The only Harness there is when nobody names one. */
const onlyHarness = "command"
const commandPath = ["steno", "run", "start"]
const isOperationId = Schema.is(OperationId)

const inputBlank: Problem = {
  code: "input-blank",
  explanation: "INPUT is blank, so there is nothing to run.",
  remediation: "Give a command after \"--\", or \"-\" with a command on stdin.",
  possibleEffects: "none"
}

const checkSession = (session: string): Result.Result<void, WrongUsage> =>
  session.trim() === "" || /[/\u0000-\u001f\u007f]/.test(session)
    ? Result.fail(
      new WrongUsage({
        explanation: "--session must not be blank and must not contain \"/\" or control characters.",
        commandPath
      })
    )
    : Result.void

const checkOperationId = (operationId: string | undefined): Result.Result<void, WrongUsage> =>
  operationId === undefined || isOperationId(operationId)
    ? Result.void
    : Result.fail(
      new WrongUsage({ explanation: "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.", commandPath })
    )

export const decideStart = (options: StartOptions): Result.Result<StartRequest, Problem | WrongUsage> =>
  Result.gen(function*() {
    const session = options.session ?? defaultSessionName
    yield* checkSession(session)
    yield* checkOperationId(options.operationId)
    yield* checkRange(options.timeoutMs, { field: "timeout-ms", ...commandTimeoutMs })
    if (options.input.trim() === "") return yield* Result.fail(inputBlank)
    return {
      ...(options.operationId === undefined ? {} : { operationId: options.operationId }),
      input: {
        operation: "start",
        workspace: options.workspace,
        harness: options.harness ?? onlyHarness,
        session,
        input: options.input,
        kind: "once",
        ...(options.entry ? { entry: true } : {}),
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs })
      }
    }
  })
