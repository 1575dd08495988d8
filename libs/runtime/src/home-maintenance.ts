/**
 * `Maintenance` of the home at a path.
 *
 * Ordering: `doctor` and `repair` open nothing as a home, so that they answer also about one that cannot be opened; `gc` opens it for
 * itself.
 */
import { Retention } from "@steno/application"
import type { GcDocument } from "@steno/contracts"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { examineHome } from "./doctor.ts"
import { databaseFile } from "./database-file.ts"
import { openHome } from "./home.ts"
import { readHomeConfig } from "./home-config.ts"
import { repairHome } from "./home-repair.ts"
import { type GcOptions, Maintenance } from "./maintenance.ts"
import { maintenanceLayer } from "./runtime-layer.ts"
import { isEmptied } from "./session-folders.ts"

export interface MaintainedHome {
  /** Absolute. */
  readonly path: string
  /** The variables of the person's process. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const nothing = { runs: 0, bytes: 0 }

/** A home that does not exist is not made. */
const collect = Effect.fnUntraced(function*({ environment, path }: MaintainedHome, options: GcOptions) {
  if (!existsSync(databaseFile(path)) && !isEmptied(path)) {
    const document: GcDocument = { family: "gc", removed: nothing, kept: nothing, dryRun: options.dryRun }
    return document
  }
  const home = yield* openHome(path, "write")
  const config = yield* readHomeConfig(path)
  return yield* Retention.pipe(
    Effect.flatMap((retention) => retention.collect(options)),
    Effect.provide(maintenanceLayer({ home, config, environment }))
  )
})

export const homeMaintenanceLayer = (home: MaintainedHome): Layer.Layer<Maintenance> =>
  Layer.succeed(Maintenance, {
    doctor: examineHome(home.path, home.environment["PATH"] ?? ""),
    repair: repairHome(home.path, home.environment["PATH"] ?? ""),
    gc: (options) => collect(home, options)
  })
