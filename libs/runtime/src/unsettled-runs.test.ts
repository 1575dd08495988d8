import { assert, describe, it } from "@effect/vitest"
import { Failpoint } from "@steno/ledger"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { call, type Hosted, onHosted, operate, says, startHosted, steps } from "./testing/hosted-runs.ts"

const damage = Object.assign(new Error("SQLITE_CORRUPT"), { code: "SQLITE_CORRUPT" })

/** Throws what SQLite would whenever a write that `isBroken` names begins. */
const failing = (isBroken: { write: string | undefined }) => (point: string) => {
  if (point === `${isBroken.write}:begin`) throw damage
}

const startAsking = Effect.fnUntraced(function*(hosted: Hosted) {
  hosted.script(steps({ content: [call("bash", { command: "echo ran" })] }, { content: [says("Done.")] }))
  return yield* startHosted(hosted, { approvals: "ask" })
})

/** As an owner leaves it that died while it drove the Run. */
const abandon = ({ home }: Pick<Hosted, "home">) => {
  const database = new Database(join(home, "core.sqlite"))
  database.prepare("UPDATE run SET state = 'running', settled_at = NULL, owner_boot_id = 'gone', owner_pid = 1, owner_start_time = 1").run()
  database.close()
}

describe("a Run that cannot be settled", () => {
  it.live("when it is interrupted says so, rests as before, and is interrupted once its record can be written again", () => {
    const broken: { write: string | undefined } = { write: "settleToolCall" }
    return onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        const interrupt = { operation: "interrupt", runId } as const
        const refused = yield* operate(interrupt)
        assert.strictEqual(refused.status, "not-applied")
        const port = yield* ProjectionPort
        const named = { text: runId, workspacePath: hosted.workspace }
        const after = yield* port.showRun(named)
        assert.deepStrictEqual([after.state, after.liveness, after.turns[0]?.result], ["blocked", { state: "resting" }, undefined])
        broken.write = undefined
        assert.deepStrictEqual(yield* operate(interrupt), { status: "applied" })
        const run = yield* port.showRun(named)
        assert.deepStrictEqual([run.state, run.turns[0]?.result, run.calls[0]?.outcome], ["halted", "interrupted", "cancelled"])
      })
    ).pipe(Effect.provideService(Failpoint, failing(broken)))
  })

  it.live("after its owner died is not waited for without end by whoever controls it", () => {
    const broken: { write: string | undefined } = { write: undefined }
    return onHosted((hosted) =>
      Effect.gen(function*() {
        const { runId } = yield* startAsking(hosted)
        abandon(hosted)
        broken.write = "takeOver"
        const outcome = yield* operate({ operation: "cancel", runId })
        assert.deepStrictEqual([outcome.status, outcome.status === "not-applied" && outcome.problem?.code], ["not-applied", "storage-failed"])
      })
    ).pipe(Effect.provideService(Failpoint, failing(broken)))
  })
})
