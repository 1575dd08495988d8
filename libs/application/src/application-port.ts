/** The Projection Port over the application's services: no defect of ours passes it untold. */
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Layer, Stream } from "effect"
import { CallReading } from "./call-reading.ts"
import { Operations } from "./operations.ts"
import { defectsToProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import { Runs } from "./runs.ts"
import { Turns } from "./turns.ts"

const portOverServices = Layer.effect(
  ProjectionPort,
  Effect.gen(function*() {
    const operations = yield* Operations
    const runs = yield* Runs
    const calls = yield* CallReading
    return ProjectionPort.of({
      submit: (request) => defectsToProblem(operations.submit(request)),
      showRun: (run) => defectsToProblem(runs.show(run)),
      awaitRest: (runId) => defectsToProblem(runs.awaitRest(runId)),
      listRuns: (query) => defectsToProblem(runs.list(query)),
      readCall: (query) => defectsToProblem(calls.page(query)),
      callBytes: (query) =>
        Stream.catchDefect(calls.bytes(query), (defect) => Stream.fromEffect(defectsToProblem(Effect.die(defect))))
    })
  })
)

/** Needs the ledger, ProcessHost, CaptureFiles, ToolCallService, HomeFolder and FileSystem. */
export const applicationPortLayer = portOverServices.pipe(
  Layer.provide(CallReading.layerNoDeps),
  Layer.provide(Layer.merge(Operations.layerNoDeps, Runs.layerNoDeps).pipe(Layer.provideMerge(Turns.layerNoDeps), Layer.provideMerge(Reconciliation.layerNoDeps)))
)
