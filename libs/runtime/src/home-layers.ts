/**
 * What a command asks of a home, loaded when it is asked for: help and wrong usage load none of it.
 *
 * Owns: what is loaded apart.
 */
import { ProcessHost } from "@steno/process-host"
import { Effect, Layer } from "effect"
import { headStart, type WantedStart } from "./head-start.ts"
import type { MaintainedHome } from "./home-maintenance.ts"
import type { PolicyPaths } from "./home-policy.ts"
import type { RuntimeOptions } from "./runtime-layer.ts"

const loaded = <Module, A, E, R>(load: () => Promise<Module>, layerOf: (module: Module) => Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.unwrap(Effect.map(Effect.promise(load), layerOf))

/** Opens the home's database, reconciles abandoned Runs behind, and offers the Port. Fails with a Problem, nothing started then. */
export const runtimeLayer = (options: RuntimeOptions) => loaded(() => import("./runtime-layer.ts"), (runtime) => runtime.runtimeLayer(options))

/** The same for a Run that is to be started, whose outside agent is told to prepare meanwhile. */
export const startLayer = (options: Omit<RuntimeOptions, "outsideAgents">, wanted: WantedStart) =>
  Layer.unwrap(Effect.map(headStart(options, wanted), (outsideAgents) => runtimeLayer({ ...options, outsideAgents }))).pipe(
    Layer.provide(ProcessHost.layer)
  )

export const homeMaintenanceLayer = (home: MaintainedHome) =>
  loaded(() => import("./home-maintenance.ts"), (maintenance) => maintenance.homeMaintenanceLayer(home))

export const homePolicyLayer = (paths: PolicyPaths) => loaded(() => import("./home-policy.ts"), (policy) => policy.homePolicyLayer(paths))
