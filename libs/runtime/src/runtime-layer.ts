/**
 * Wires the libraries of Steno for one home.
 *
 * Owns: which implementation stands behind each port.
 */
import { NodeFileSystem } from "@effect/platform-node"
import { AgentCalls, applicationPortLayer, HomeFolder, type Retention, retentionLayer } from "@steno/application"
import { toPortProblem } from "@steno/application/problems"
import { AssetStore } from "@steno/asset-store"
import type { HomeConfig } from "@steno/contracts"
import { ledgerLayer } from "@steno/ledger"
import { PathResolver, PermissionPolicy, PolicyFiles } from "@steno/permission-policy"
import { CapturedCommands, CaptureFiles, SuppliedOutputs } from "@steno/process-capture"
import { ProcessHost } from "@steno/process-host"
import type { PortProblem, ProjectionPort } from "@steno/projection-port"
import { OutputReadings } from "@steno/result-projection"
import { ToolCallService } from "@steno/tool-call-service"
import { CatalogTools } from "@steno/tool-catalog"
import { Layer } from "effect"
import { join } from "node:path"
import { type AgentCallProgram, agentCallServersLayer } from "./agent-call-servers.ts"
import { callSpaceLayer } from "./call-space.ts"
import { callHandlersLayer } from "./call-handlers.ts"
import { callSupervisionLayer } from "./call-supervision.ts"
import { databaseFile } from "./database-file.ts"
import { harnessesLayer, type OutsideAgents } from "./harnesses.ts"
import { type OpenedHome } from "./home.ts"
import { hostToolsLayer } from "./host-tools.ts"
import { PersonEnvironment, userHomeOf } from "./person-environment.ts"
import { KeptImages, resultImagesLayer } from "./result-images.ts"
import { resultPreparationLayer } from "./result-preparation.ts"
import { searchProcessLayer } from "./search-process.ts"
import { sessionFilesLayer } from "./session-files.ts"

export interface RuntimeOptions {
  readonly home: OpenedHome
  /** What the home's `config/steno.json` says; absent: the defaults. */
  readonly config?: HomeConfig
  /** What commands inherit; the variables of the process that opens the home. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Harnesses of outside agents; absent: those that are installed. */
  readonly outsideAgents?: OutsideAgents
  /** What an outside agent starts to call its Run; absent: it cannot. */
  readonly agentCallProgram?: AgentCallProgram
}

/** Tools, and what is made of their results: images of a call go from the one to the other. */
const toolsLayer = Layer.merge(hostToolsLayer, resultPreparationLayer).pipe(
  Layer.provide(CatalogTools.layerNoDeps),
  Layer.provide(Layer.mergeAll(searchProcessLayer, resultImagesLayer)),
  Layer.provide(KeptImages.layer)
)

const supervisionLayer = ({ environment, home }: RuntimeOptions) => {
  const policyHome = { stenoHome: home.path, userHome: userHomeOf(environment) }
  return callSupervisionLayer.pipe(
    Layer.provide(PermissionPolicy.layerNoDeps(policyHome)),
    Layer.provide([PolicyFiles.layer(policyHome), PathResolver.layer])
  )
}

/** Every library below the application, for one home; `ToolCallService` and the ledger are usable alone. */
export const coreLayer = (options: RuntimeOptions) => {
  const { access, path } = options.home
  const config = options.config ?? {}
  const ledger = ledgerLayer({ file: databaseFile(path), access }).pipe(
    Layer.catch((error) => Layer.effectContext(toPortProblem(error)))
  )
  const processes = Layer.mergeAll(CapturedCommands.layerNoDeps, CaptureFiles.layer, SuppliedOutputs.layer).pipe(
    Layer.provideMerge(ProcessHost.layer)
  )
  const foundation = Layer.mergeAll(
    ledger,
    processes,
    Layer.succeed(HomeFolder, { path, access, config }),
    OutputReadings.layer(),
    AssetStore.layer({ dataRoot: join(path, "data") }),
    Layer.succeed(PersonEnvironment, options.environment),
    NodeFileSystem.layer
  )
  return ToolCallService.layerNoDeps(config).pipe(
    Layer.provide(Layer.mergeAll(callSpaceLayer, toolsLayer, supervisionLayer(options), callHandlersLayer)),
    Layer.provideMerge(Layer.merge(harnessesLayer(options.outsideAgents), sessionFilesLayer)),
    Layer.provideMerge(agentCallServersLayer(options.agentCallProgram)),
    Layer.provideMerge(AgentCalls.layerNoDeps),
    Layer.provideMerge(foundation)
  )
}

/** Opens the home's database, reconciles abandoned Runs behind, and offers the Port. Fails with a Problem, nothing started then. */
export const runtimeLayer = (options: RuntimeOptions): Layer.Layer<ProjectionPort, PortProblem> =>
  Layer.provide(applicationPortLayer, coreLayer(options))

/** `Retention` of a home, without the Port. */
export const maintenanceLayer = (options: RuntimeOptions): Layer.Layer<Retention, PortProblem> =>
  Layer.provide(retentionLayer, coreLayer(options))
