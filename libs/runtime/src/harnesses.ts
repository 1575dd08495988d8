/**
 * The harnesses of a home: which there are, and what of the person's each of them may use.
 *
 * Owns: where keys and addresses of model providers come from: the person's environment, the address of a compatible server from
 * the home's configuration.
 * Never owns: reaching a provider (harness-hosted).
 * Limits: looking asks nobody: a key that is set may still be a wrong one. No value of a key or address is told.
 */
import { type HarnessEntry, Harnesses, HomeFolder } from "@steno/application"
import type { AssetStore } from "@steno/asset-store"
import type { HarnessModels, HomeConfig, TurnId } from "@steno/contracts"
import { type HostedHarnessOptions, makeHostedHarness } from "@steno/harness-hosted"
import type { RunLedger } from "@steno/ledger"
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { readFile } from "node:fs/promises"
import { installedAgents } from "./installed-agents.ts"
import { PersonEnvironment, type Variables } from "./person-environment.ts"
import { readStoredImage } from "./result-images.ts"

type Providers = HostedHarnessOptions["providers"]

/** An empty variable is as good as none. */
const valueOf = (environment: Variables, name: string): string | undefined => (environment[name] === "" ? undefined : environment[name])

/** Anthropic's own clients take an address without the version, and so do people. */
const withVersion = (address: string): string => (/\/v\d+\/?$/.test(address) ? address : `${address.replace(/\/+$/, "")}/v1`)

const access = (apiKey: string | undefined, baseUrl: string | undefined) => ({
  ...(apiKey === undefined ? {} : { apiKey }),
  ...(baseUrl === undefined ? {} : { baseUrl })
})

export const providersOf = (environment: Variables, { models }: HomeConfig): Required<Providers> => {
  const anthropic = valueOf(environment, "ANTHROPIC_BASE_URL")
  return {
    "anthropic": access(valueOf(environment, "ANTHROPIC_API_KEY"), anthropic === undefined ? undefined : withVersion(anthropic)),
    "openai": access(valueOf(environment, "OPENAI_API_KEY"), valueOf(environment, "OPENAI_BASE_URL")),
    "openai-compatible": access(valueOf(environment, "OPENAI_COMPATIBLE_API_KEY"), models?.openaiCompatible?.baseUrl)
  }
}

const isSet = (value: string | undefined): string => (value === undefined ? "which is not set" : "which is set")

const modelsOf = (providers: Required<Providers>): ReadonlyArray<HarnessModels> => {
  const { anthropic, openai, "openai-compatible": compatible } = providers
  return [
    { name: "anthropic/MODEL", available: anthropic.apiKey !== undefined, needs: `ANTHROPIC_API_KEY, ${isSet(anthropic.apiKey)}` },
    { name: "openai/MODEL", available: openai.apiKey !== undefined, needs: `OPENAI_API_KEY, ${isSet(openai.apiKey)}` },
    {
      name: "openai-compatible/MODEL",
      available: compatible.baseUrl !== undefined,
      needs: `models.openaiCompatible.baseUrl in config/steno.json, ${isSet(compatible.baseUrl)}, `
        + `and OPENAI_COMPATIBLE_API_KEY, ${isSet(compatible.apiKey)}, where the server wants one`
    },
    { name: "script:FILE", available: true, needs: "a script file and no key" }
  ]
}

/** The text of a file, or undefined where it cannot be read. */
const readScript = (file: string): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(file, "utf8")), () => undefined)

export interface OutsideAgents {
  /** In the order they are shown in. */
  readonly entries: ReadonlyArray<HarnessEntry>
  /** See `Harnesses`; absent: none was begun. */
  readonly begunTurn?: (id: string) => TurnId | undefined
}

/** @param outside default: those that are installed */
export const harnessesLayer = (outside?: OutsideAgents) => Layer.effect(
  Harnesses,
  Effect.gen(function*() {
    const { config, ...home } = yield* HomeFolder
    const environment = yield* PersonEnvironment
    const stored = yield* Effect.context<RunLedger | AssetStore>()
    const providers = providersOf(environment, config)
    const preset = config.models?.default
    const hosted = makeHostedHarness({
      providers,
      readScript,
      readImage: (reference) => Effect.provide(readStoredImage(reference), stored),
      ...(preset === undefined ? {} : { defaultModel: preset })
    })
    const all: ReadonlyArray<HarnessEntry> = [{
      id: hosted.id,
      name: hosted.name,
      harness: hosted,
      agent: "built-in",
      needs: "A model: a provider's key, the address of a compatible server, or a script.",
      model: { kind: "named", ...(preset === undefined ? {} : { preset }) },
      look: () => Effect.succeed({ found: true, qualification: "qualified", models: modelsOf(providers) })
    }, ...outside?.entries ?? (yield* installedAgents({ home, config, environment, processHost: yield* ProcessHost }))]
    return Harnesses.of({
      all,
      find: (id) => all.find((entry) => entry.id === id),
      begunTurn: (id) => outside?.begunTurn?.(id),
      environment
    })
  })
)
