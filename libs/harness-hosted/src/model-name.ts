/**
 * Names of models: `<provider>/<model>` or `script:<file>`.
 *
 * Owns: the providers, the efforts, how a choice is read. Pure.
 */
import type { ModelChoice } from "@steno/harness-seam"
import { Result } from "effect"

export const providerNames = ["anthropic", "openai", "openai-compatible"] as const
export type ProviderName = typeof providerNames[number]

const anthropicEfforts = ["low", "medium", "high", "xhigh", "max"] as const
const openaiEfforts = ["none", "minimal", ...anthropicEfforts] as const
export type Effort = typeof openaiEfforts[number]

const effortsOf: Readonly<Record<ProviderName, ReadonlyArray<Effort>>> = {
  "anthropic": anthropicEfforts,
  "openai": openaiEfforts,
  "openai-compatible": openaiEfforts
}

export type ModelReference =
  | { readonly kind: "provider"; readonly provider: ProviderName; readonly model: string; readonly effort?: Effort }
  | { readonly kind: "script"; readonly file: string }

const scriptPrefix = "script:"

/** Fails with what is wrong, in words for people. */
export const readModelChoice = ({ effort, model }: ModelChoice): Result.Result<ModelReference, string> => {
  if (model.startsWith(scriptPrefix)) {
    const file = model.slice(scriptPrefix.length)
    return file === "" ? Result.fail("A script needs a file: script:FILE") : Result.succeed({ kind: "script", file })
  }
  const provider = providerNames.find((name) => model.startsWith(`${name}/`) && model.length > name.length + 1)
  if (provider === undefined) {
    return Result.fail(`A model is named ${providerNames.map((name) => `${name}/MODEL`).join(", ")} or script:FILE`)
  }
  const known = effortsOf[provider].find((name) => name === effort)
  if (effort !== undefined && known === undefined) {
    return Result.fail(`An effort of ${provider} is one of ${effortsOf[provider].join(", ")}`)
  }
  return Result.succeed({
    kind: "provider",
    provider,
    model: model.slice(provider.length + 1),
    ...(known === undefined ? {} : { effort: known })
  })
}
