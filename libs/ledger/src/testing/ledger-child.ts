/**
 * A process of its own that uses a ledger as a test tells it.
 *
 * Owns: the tasks of child processes. Says what it did as one JSON line on stdout.
 */
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { CallLedger } from "../calls.ts"
import { Failpoint } from "../failpoint.ts"
import type { LedgerError } from "../ledger-errors.ts"
import { ledgerLayer } from "../ledger-layer.ts"
import { RunLedger } from "../runs.ts"
import { repairDatabase } from "../salvage/repair-database.ts"
import type { ChildTask } from "./child-process.ts"
import { ledgerSteps } from "./ledger-steps.ts"
import { TurnLedger } from "../turns.ts"
import {
  sampleAdmission,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

/** Creates and settles calls of Run 1, which whoever is first admits. */
const settleCalls = Effect.fnUntraced(function*(first: number, count: number) {
  const runs = yield* RunLedger
  const calls = yield* CallLedger
  const { repeated, ...fence } = yield* runs.admitRun(sampleAdmission(1))
  for (let call = first; call < first + count; call++) {
    yield* calls.createToolCalls(fence, [sampleCall(1, call)])
    yield* calls.settleToolCall(fence, {
      callId: sampleId.call(call),
      from: { state: "running", claim: "claim" },
      response: sampleResponse(call),
      assets: [],
      at: sampleAdmission(1).at
    })
  }
  return { repeated }
})

/** Settles calls 1 to `count` of Run 1 as long as nobody else has; counts those it settled and those it came too late for. */
const raceSettlements = Effect.fnUntraced(function*(epoch: number, count: number) {
  const calls = yield* CallLedger
  const fence = { runId: sampleId.run(1), epoch }
  let won = 0
  let late = 0
  for (let call = 1; call <= count; call++) {
    const settled = yield* Effect.result(calls.settleToolCall(fence, {
      callId: sampleId.call(call),
      from: { state: "running", claim: "claim" },
      response: sampleResponse(call),
      assets: [sampleAsset(call, process.pid * 100 + call)],
      at: sampleInstant(call)
    }))
    if (settled._tag === "Success") won++
    else if (settled.failure.reason._tag === "Conflict") late++
    else return yield* settled.failure
  }
  return { won, late }
})

/** Starts Runs one after the other, each with one call, and lets each rest. */
const startRuns = Effect.fnUntraced(function*(first: number, count: number) {
  const runs = yield* RunLedger
  const calls = yield* CallLedger
  const turns = yield* TurnLedger
  for (let number = first; number < first + count; number++) {
    const { runId, epoch } = yield* runs.admitRun(sampleAdmission(number))
    const fence = { runId, epoch }
    yield* calls.createToolCalls(fence, [sampleCall(number, number)])
    yield* calls.settleToolCall(fence, {
      callId: sampleId.call(number),
      from: { state: "running", claim: "claim" },
      response: sampleResponse(number),
      assets: [sampleAsset(number, number)],
      at: sampleInstant(number)
    })
    yield* turns.settleTurn(fence, sampleSettlement(number, "completed", { rest: "succeeded" }))
  }
  return { started: count }
})

const readThenWrite = Effect.gen(function*() {
  const runs = yield* RunLedger
  const rows = yield* runs.listRuns({ limit: 10 })
  const record = yield* runs.readRun(sampleId.run(1))
  const wrote = yield* Effect.match(runs.admitRun(sampleAdmission(99)), {
    onFailure: (error) => error.reason._tag,
    onSuccess: () => "written"
  })
  return { runs: rows.map(({ runId }) => runId), record, wrote }
})

/** From here on permission bits bind, also when the test runs as root. */
const becomeNobody = (): void => {
  new Database(":memory:").close()
  if (process.getuid?.() !== 0) return
  process.setgroups?.([])
  process.setgid?.(65534)
  process.setuid?.(65534)
}

const hold = async (file: string): Promise<void> => {
  const connection = new Database(file)
  connection.exec("BEGIN IMMEDIATE")
  say("locked")
  await once(process.stdin, "data")
  connection.exec("COMMIT")
  connection.close()
  process.stdin.destroy()
}

const reasonOf = (error: LedgerError) => ({
  failed: error.reason._tag,
  ...(error.reason._tag === "StorageFailed" && { code: error.reason.code })
})

const perform = async (task: ChildTask): Promise<void> => {
  const layer = ledgerLayer({ file: task.file, access: "access" in task ? task.access : "write" })
  const report = <A>(program: Effect.Effect<A, LedgerError>) =>
    Effect.runPromise(Effect.match(program, { onFailure: reasonOf, onSuccess: (value) => value })).then(say)
  switch (task.do) {
    case "settle-calls":
      return report(Effect.provide(settleCalls(task.first, task.count), layer))
    case "race-settlements":
      return report(Effect.provide(raceSettlements(task.epoch, task.count), layer))
    case "start-runs":
      return report(Effect.provide(startRuns(task.first, task.count), layer))
    case "end-at": {
      const failpoint = Layer.succeed(Failpoint, (point: string) => {
        if (point === task.point) process.kill(process.pid, "SIGKILL")
      })
      const steps = Effect.forEach(ledgerSteps, ({ run }) => run)
      return report(Effect.provide(steps, Layer.provide(layer, failpoint)))
    }
    case "repair-until":
      return report(repairDatabase({
        file: task.file,
        restore: () => Effect.succeed([]),
        failpoint: (point) => void (point === task.point && process.kill(process.pid, "SIGKILL"))
      }))
    case "hold-lock":
      return hold(task.file)
    case "use-as-nobody":
      becomeNobody()
      return report(Effect.provide(readThenWrite, layer))
  }
}

const [, , text] = process.argv
if (text !== undefined) await perform(JSON.parse(text))
