/** The Projection Port over the application's services: no defect of ours passes it untold. */
import { ProjectionPort } from "@steno/projection-port"
import { Effect, Layer, Stream } from "effect"
import { Answering } from "./answering.ts"
import { CallExplanation } from "./call-explanation.ts"
import { CallReading } from "./call-reading.ts"
import { CommandTurns } from "./command-turns.ts"
import { HarnessCatalogs } from "./harness-catalogs.ts"
import { HarnessPreparation } from "./harness-preparation.ts"
import { HarnessTurns } from "./harness-turns.ts"
import { LiveRuns } from "./live-runs.ts"
import { operationInboxLayer } from "./operation-inbox.ts"
import { OperationPursuit } from "./operation-pursuit.ts"
import { Operations } from "./operations.ts"
import { defectsToProblem } from "./problems.ts"
import { Reconciliation } from "./reconciliation.ts"
import { resolveCall } from "./run-reference.ts"
import { Retention } from "./retention.ts"
import { RunControl } from "./run-control.ts"
import { RunRemoval } from "./run-removal.ts"
import { Runs } from "./runs.ts"
import { Transcripts } from "./transcripts.ts"
import { TurnStarts } from "./turn-starts.ts"

const portOverServices = Layer.effect(
  ProjectionPort,
  Effect.gen(function*() {
    const operations = yield* Operations
    const runs = yield* Runs
    const calls = yield* CallReading
    const explanation = yield* CallExplanation
    const transcripts = yield* Transcripts
    const harnesses = yield* HarnessCatalogs
    const liveRuns = yield* LiveRuns
    return ProjectionPort.of({
      submit: (request) => defectsToProblem(operations.submit(request)),
      awaitOperation: (operationId) => defectsToProblem(operations.awaitOutcome(operationId)),
      resolveRun: (run) => defectsToProblem(Effect.map(runs.read(run), ({ record }) => record.run.runId)),
      resolveCall: ({ call, run }) =>
        defectsToProblem(Effect.gen(function*() {
          const { record } = yield* runs.read(run)
          return (yield* resolveCall(record, call)).callId
        })),
      showRun: (run) => defectsToProblem(runs.show(run)),
      awaitRest: (runId) => defectsToProblem(runs.awaitRest(runId)),
      quietCalls: (runId) => liveRuns.quietCalls(runId),
      defaultHarness: harnesses.default,
      listHarnesses: (workspacePath) => defectsToProblem(harnesses.list(workspacePath)),
      checkHarness: (query) => defectsToProblem(harnesses.check(query)),
      listRuns: (query) => defectsToProblem(runs.list(query)),
      readTranscript: (query) => defectsToProblem(transcripts.page(query)),
      exportTranscript: (session) => defectsToProblem(transcripts.whole(session)),
      exportRun: (run) => defectsToProblem(transcripts.exportRun(run)),
      readCall: (query) => defectsToProblem(calls.page(query)),
      explainCall: (query) => defectsToProblem(explanation.explain(query)),
      callBytes: (query) =>
        Stream.catchDefect(calls.bytes(query), (defect) => Stream.fromEffect(defectsToProblem(Effect.die(defect))))
    })
  })
)

/** What settles and removes Runs, without a client: shared by the Port and by maintenance. */
const keeping = Layer.provideMerge(Reconciliation.layerNoDeps, RunRemoval.layerNoDeps)

/** What drives Runs. */
const drive = TurnStarts.layerNoDeps.pipe(
  Layer.provideMerge(Layer.mergeAll(HarnessTurns.layerNoDeps, CommandTurns.layerNoDeps, HarnessPreparation.layerNoDeps)),
  Layer.provideMerge(LiveRuns.layerNoDeps),
  Layer.provideMerge(keeping)
)

const reading = Layer.mergeAll(
  CallReading.layerNoDeps,
  CallExplanation.layerNoDeps,
  Transcripts.layerNoDeps,
  HarnessCatalogs.layerNoDeps
).pipe(Layer.provideMerge(Runs.layerNoDeps))
const control = Layer.merge(Operations.layerNoDeps, operationInboxLayer).pipe(
  Layer.provide(OperationPursuit.layerNoDeps),
  Layer.provide(RunControl.layerNoDeps),
  Layer.provide(Answering.layerNoDeps)
)

/** Needs the ledger, ProcessHost, CaptureFiles, SuppliedOutputs, AssetStore, OutputReadings, ToolCallService, FileChanges, Harnesses, HomeFolder and FileSystem. */
export const applicationPortLayer = portOverServices.pipe(
  Layer.provide(Layer.merge(reading, control)),
  Layer.provide(drive)
)

/** `Retention`, on the same needs but Harnesses. */
export const retentionLayer = Layer.provide(Retention.layerNoDeps, keeping)
