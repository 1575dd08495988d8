/**
 * Finds the model that a choice names.
 *
 * Owns: what a provider needs to be reached, why a model is not there.
 * Limits: opening a model sends nothing. Words name no key and no address. The libraries of providers are loaded with the first
 * model of one: every command of the program would wait for them otherwise.
 */
import { HarnessAuthRequired, HarnessProbeFailed, type ModelChoice, PrepareError } from "@steno/harness-seam"
import { parseScript } from "@steno/model-script"
import { Effect, Result } from "effect"
import { resolve } from "node:path"
import type { HostedModel } from "./hosted-model.ts"
import { type Effort, type ProviderName, readModelChoice } from "./model-name.ts"
import type { ProviderAccess } from "./provider-model.ts"
import { makeScriptModel } from "./script-model.ts"

export interface OpenedModel {
  readonly choice: ModelChoice
  readonly model: HostedModel
  readonly effort?: Effort
}

export type ModelSource = (choice: ModelChoice) => Effect.Effect<OpenedModel, PrepareError>

export interface ModelSourceOptions {
  readonly providers: Readonly<Partial<Record<ProviderName, ProviderAccess>>>
  /** The text of a file; undefined where it cannot be read. `file` is absolute. */
  readonly readScript: (file: string) => Effect.Effect<string | undefined>
}

const providerModels = Effect.promise(() => import("./provider-model.ts"))

const unavailable = (reason: PrepareError["reason"]): PrepareError => new PrepareError({ reason })

const misnamed = (explanation: string): PrepareError =>
  unavailable(new HarnessProbeFailed({ explanation, remedy: "Choose another model." }))

/** An HTTP address without a person's name and password, which no request may hold. */
const isAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.username === "" && url.password === ""
}

/** What is missing to reach `provider`. */
const lack = (provider: ProviderName, access: ProviderAccess): PrepareError | undefined => {
  if (access.baseUrl !== undefined && !isAddress(access.baseUrl)) {
    return unavailable(new HarnessProbeFailed({
      explanation: `The base URL of ${provider} is no HTTP address without name and password`,
      remedy: "Correct it, as in http://127.0.0.1:8080/v1; a key is set apart from it."
    }))
  }
  if (provider === "openai-compatible") {
    return access.baseUrl === undefined
      ? unavailable(new HarnessProbeFailed({
        explanation: "No address is set for openai-compatible",
        remedy: "Set its base URL, with the version, as in http://127.0.0.1:8080/v1."
      }))
      : undefined
  }
  return access.apiKey === undefined || access.apiKey === ""
    ? unavailable(new HarnessAuthRequired({ explanation: `No key is set for ${provider}`, remedy: `Set an API key for ${provider}.` }))
    : undefined
}

/** Relative script files are meant from `workspace`. */
export const makeModelSource = ({ providers, readScript }: ModelSourceOptions, workspace: string): ModelSource =>
  Effect.fnUntraced(function*(choice: ModelChoice) {
    const read = readModelChoice(choice)
    if (Result.isFailure(read)) return yield* misnamed(read.failure)
    const reference = read.success
    if (reference.kind === "provider") {
      const access = providers[reference.provider] ?? {}
      const missing = lack(reference.provider, access)
      if (missing !== undefined) return yield* missing
      const { makeProviderModel } = yield* providerModels
      const model = makeProviderModel(reference.provider, reference.model, access)
      return { choice, model, ...(reference.effort === undefined ? {} : { effort: reference.effort }) }
    }
    const text = yield* readScript(resolve(workspace, reference.file))
    if (text === undefined) {
      return yield* unavailable(new HarnessProbeFailed({
        explanation: `The script ${reference.file} cannot be read`,
        remedy: "Name a script file that exists."
      }))
    }
    const script = parseScript(text)
    if (Result.isFailure(script)) return yield* misnamed(`The script ${reference.file} is ${script.failure.message}`)
    return { choice, model: makeScriptModel(choice.model, script.success) }
  })
