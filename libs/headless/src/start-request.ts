/**
 * Decides what `run start` submits.
 *
 * Owns: defaults, and what is refused before the Port is asked.
 * Limits: pure; whether a Workspace, Harness or model exists is the application's to say.
 */
import { commandTimeoutMs, defaultSessionName, type Problem, sessionNameCharacters, type StartInput } from "@steno/contracts"
import { Result } from "effect"
import { checkRange } from "./checked-numbers.ts"
import { checkOperationId } from "./operation-id-option.ts"
import { WrongUsage } from "./wrong-usage.ts"

export interface StartOptions {
  readonly harness: string | undefined
  readonly model: string | undefined
  readonly effort: string | undefined
  readonly approvals: StartInput["approvals"]
  readonly agentCalls: StartInput["agentCalls"]
  readonly interactive: boolean
  readonly session: string | undefined
  /** Absolute. */
  readonly workspace: string
  readonly entry: boolean
  readonly timeoutMs: number | undefined
  readonly operationId: string | undefined
}

type OptionsToCheck = Omit<StartOptions, "workspace" | "entry" | "interactive">

export interface StartRequest {
  readonly operationId?: string
  readonly input: StartInput
}

/** Runs INPUT itself and knows nothing of agents. */
const commandHarness = "command"
export const startPath = ["steno", "run", "start"]

const wrongUsage = (explanation: string, fields: ReadonlyArray<string>) =>
  Result.fail(new WrongUsage({ explanation, fields, commandPath: startPath }))

/**
 * What only an agent can be told; a command that a person types is run as it is, and nobody is asked about it.
 *
 * @param harness what will be taken; the options say whether somebody named it
 */
export const checkHarness = (harness: string, options: OptionsToCheck): Result.Result<void, WrongUsage> => {
  const { agentCalls, approvals, effort, model } = options
  const forAgents = Object.entries({ model, effort, approvals, "agent-calls": agentCalls })
    .flatMap(([name, value]) => value === undefined ? [] : [name])
  if (harness !== commandHarness || forAgents.length === 0) return Result.void
  const named = forAgents.map((name) => `--${name}`).join(" and ")
  return wrongUsage(
    `The harness command${options.harness === undefined ? ", taken without --harness," : ""} runs INPUT as it is, without a model: ${named} would mean nothing.`,
    ["harness", ...forAgents]
  )
}

const checkSession = (session: string): Result.Result<void, WrongUsage> => {
  if (session.trim() === "" || /[/\u0000-\u001f\u007f]/.test(session)) {
    return wrongUsage("--session must not be blank and must not contain \"/\" or control characters.", ["session"])
  }
  return Array.from(session).length > sessionNameCharacters
    ? wrongUsage(`--session must have at most ${sessionNameCharacters} characters.`, ["session"])
    : Result.void
}

/** Everything but INPUT, so that a wrong option is refused before stdin is read. */
export const checkOptions = (options: OptionsToCheck): Result.Result<void, Problem | WrongUsage> =>
  Result.gen(function*() {
    if (options.harness !== undefined) yield* checkHarness(options.harness, options)
    yield* checkSession(options.session ?? defaultSessionName)
    yield* checkOperationId(options.operationId, startPath)
    yield* checkRange(options.timeoutMs, { field: "timeout-ms", ...commandTimeoutMs })
  })

/**
 * @param options already checked
 * @param harness what is taken
 */
export const startRequest = (options: StartOptions, harness: string, input: string): StartRequest => ({
  ...(options.operationId === undefined ? {} : { operationId: options.operationId }),
  input: {
    operation: "start",
    workspace: options.workspace,
    harness,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
    session: options.session ?? defaultSessionName,
    input,
    kind: options.interactive ? "interactive" : "once",
    ...(options.entry ? { entry: true } : {}),
    ...(options.approvals === undefined ? {} : { approvals: options.approvals }),
    ...(options.agentCalls === undefined ? {} : { agentCalls: options.agentCalls }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs })
  }
})
