/**
 * A process of its own that owns a Run, or takes it over, as a test tells it: one JSON line in, one out.
 *
 * Limits: its tools end when they are told to.
 */
import type { CallId } from "@steno/contracts"
import type { LedgerError } from "@steno/ledger"
import { Effect } from "effect"
import { createInterface } from "node:readline"
import type { AdmittedStep, CallTurn } from "../call-requests.ts"
import { ControlledPorts, resultEnd } from "./controlled-ports.ts"
import type { ToolCallError } from "../tool-call-errors.ts"
import { asking, buildOwner, callAt, now, processOf } from "./owned-run.ts"

export type RacingTask =
  /** Proposes a call and waits until it runs. */
  | { readonly do: "begin"; readonly turn: CallTurn; readonly name: string }
  /** Ends that call's tool, and waits until the call is settled or lost. */
  | { readonly do: "end"; readonly name: string }
  /** Takes the Run over and settles what its owner left. */
  | { readonly do: "take"; readonly turn: CallTurn }

export interface RacingReply {
  readonly callId?: CallId
  /** What this process settled the call as; absent: it wrote no response. */
  readonly outcome?: string
  readonly epoch?: number
}

const serve = Effect.fnUntraced(function*(file: string) {
  const ports = new ControlledPorts()
  const owner = yield* buildOwner({ file, ports })
  const steps = new Map<string, AdmittedStep>()

  const begin = Effect.fnUntraced(function*(turn: CallTurn, name: string) {
    const step = yield* owner.calls.propose({ ...turn, proposal: asking(name, { name }) })
    steps.set(name, step)
    yield* ports.started(name)
    return { callId: callAt(step, 0) }
  })

  const end = Effect.fnUntraced(function*(name: string) {
    yield* ports.end(name, resultEnd("value"))
    const settled = yield* Effect.result(steps.get(name)?.settled ?? Effect.die("nothing was begun"))
    const response = settled._tag === "Success" ? settled.success[0] : undefined
    return response === undefined ? {} : { outcome: response.outcome }
  })

  const take = Effect.fnUntraced(function*({ fence: { epoch, runId } }: CallTurn) {
    const fence = yield* owner.runs.takeOver({ runId, epoch, owner: processOf(process.pid), at: yield* now })
    const [row] = yield* owner.ledger.unfinishedCalls(runId)
    if (row === undefined) return { epoch: fence.epoch }
    yield* owner.calls.settleAbandoned(fence, [{ row, arguments: row.arguments }])
    return { epoch: fence.epoch, outcome: "indeterminate" }
  })

  const perform = (task: RacingTask): Effect.Effect<RacingReply, LedgerError | ToolCallError> => {
    switch (task.do) {
      case "begin":
        return begin(task.turn, task.name)
      case "end":
        return end(task.name)
      case "take":
        return take(task.turn)
    }
  }

  yield* Effect.promise(async () => {
    process.stdout.write("{}\n")
    for await (const line of createInterface({ input: process.stdin })) {
      const reply: RacingReply = await Effect.runPromise(Effect.orDie(perform(JSON.parse(line))))
      process.stdout.write(`${JSON.stringify(reply)}\n`)
    }
  })
})

const [, , file] = process.argv
if (file !== undefined) await Effect.runPromise(Effect.scoped(serve(file)))
