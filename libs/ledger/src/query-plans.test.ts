import { it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { makeCallWrites } from "./call-writes.ts"
import { makeEventLog } from "./event-log.ts"
import { migrations } from "./migrations/migrations.ts"
import { openDatabase } from "./open-database.ts"
import { makeOperationWrites } from "./operation-writes.ts"
import { makeRetentionReads } from "./retention-reads.ts"
import { makeRunReads } from "./run-reads.ts"
import { makeRunWrites } from "./run-writes.ts"
import { makeSqliteClient } from "./sqlite-client.ts"
import {
  sampleAdmission,
  sampleAdmitted,
  sampleApproval,
  sampleAsset,
  sampleId,
  sampleInstant,
  sampleOperation,
  sampleProposal,
  sampleResolution,
  sampleResponse,
  sampleSettlement,
  sampleSteer
} from "./testing/sample-facts.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { makeTurnWrites } from "./turn-writes.ts"
import { makeWrite } from "./write-transaction.ts"

/** The ledger's services on a database whose statements are noted. */
const notedLedger = Effect.gen(function*() {
  const file = join(yield* temporaryFolder, "core.sqlite")
  const connection = yield* openDatabase({ file, access: "write", migrations })
  const plain = makeSqliteClient(file, connection)
  const noted = new Set<string>()
  const client: typeof plain = {
    ...plain,
    statement: (sql) => plain.statement((noted.add(sql), sql)),
    value: (sql) => plain.value((noted.add(sql), sql))
  }
  const write = makeWrite(client, { access: "write", failpoint: undefined, publish: () => undefined })
  /** The plan of each statement that an Effect used and that reads or changes a table. */
  const plansOf = <A, E>(use: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      noted.clear()
      return Effect.map(use, () => {
        const statements = [...noted].filter((sql) => /^\s*(SELECT|UPDATE|DELETE)/.test(sql))
        return statements.flatMap((sql) => {
          const values = Array.from(sql.matchAll(/\?/g), () => null)
          return connection.prepare<Array<null>, { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
            .all(...values).map(({ detail }) => detail)
        })
      })
    })
  return {
    plansOf,
    runs: { ...makeRunWrites(client, write, makeEventLog(client)), ...makeRunReads(client) },
    calls: makeCallWrites(client, write, makeEventLog(client)),
    turns: makeTurnWrites(client, write, makeEventLog(client)),
    operations: makeOperationWrites(client, write),
    retention: makeRetentionReads(client)
  }
})

const listed = ["SCAN run USING INDEX run_shown"]
const listedIn = (range: string) => [`SEARCH run USING INDEX run_shown_by_workspace (workspace_path=?${range})`]

describe("the plan of", () => {
  it.effect("a list reads rows in their order from an index and sorts nothing, so it does not grow with the home", () =>
    Effect.gen(function*() {
      const { plansOf, runs } = yield* notedLedger
      const states = ["halted", "failed"] as const
      const before = sampleId.run(5)
      for (const [query, expected] of [
        [{}, listed],
        [{ states }, listed],
        [{ before }, ["SEARCH run USING INDEX run_shown (run_id<?)"]],
        [{ workspacePath: "/workspace" }, listedIn("")],
        [{ workspacePath: "/workspace", states }, listedIn("")],
        [{ workspacePath: "/workspace", before, states }, listedIn(" AND run_id<?")]
      ] as const) {
        const plan = yield* plansOf(runs.listRuns({ ...query, limit: 20 }))
        expect(plan.filter((detail) => / run /.test(detail))).toEqual(expected)
        expect(plan.filter((detail) => /TEMP B-TREE|SCAN (?!run )/.test(detail))).toEqual([])
      }
    }))

  it.effect("every other reading finds its rows by an index, and sorts at most those of one Run", () =>
    Effect.gen(function*() {
      const { calls, plansOf, runs, operations, retention } = yield* notedLedger
      const { runId } = yield* runs.admitRun(sampleAdmission(1))
      yield* operations.admitOperation(sampleOperation(7, 1))
      const at = sampleInstant(9)
      const whole = yield* plansOf(runs.readRun(runId))
      expect(whole.filter((detail) => /^SCAN/.test(detail))).toEqual([])
      for (const [reading, index] of [
        [runs.runRow(runId), "SEARCH run USING INDEX sqlite_autoindex_run_1 (run_id=?)"],
        [runs.runIdsByPrefix("run_", 2), "SEARCH run USING INDEX run_shown (run_id>? AND run_id<?)"],
        [runs.ownedRuns, "SCAN run USING INDEX run_owned"],
        [runs.admittedRun(sampleAdmission(1)), "SEARCH operation USING INDEX sqlite_autoindex_operation_1 (operation_id=?)"],
        [runs.startInput(runId), "SEARCH operation USING INDEX operation_by_run (run_id=?)"],
        [operations.operation(sampleId.operation(7)), "SEARCH operation USING INDEX sqlite_autoindex_operation_1 (operation_id=?)"],
        [operations.pendingOperations(runId), "SEARCH operation USING INDEX operation_pending (run_id=?)"],
        [calls.storedBytes(sampleId.conversation(1)), "SEARCH asset USING INDEX asset_by_session (conversation_id=? AND rowid>?)"],
        [runs.ownedAsset(sampleAsset(1, 1).assetId), "SEARCH asset USING INDEX sqlite_autoindex_asset_1 (asset_id=?)"],
        [retention.tombstones, "SEARCH run USING INDEX run_buried (run_id>?)"],
        [retention.runsRestingSince(at), "SEARCH run USING INDEX run_resting ((settled_at,run_id)>(?,?) AND settled_at<?)"],
        [retention.fileOwners, "SEARCH session USING INTEGER PRIMARY KEY (rowid>?)"]
      ] as const) {
        const plan = yield* plansOf<unknown, unknown>(reading)
        expect(plan).toContain(index)
        expect(plan.filter((detail) => /TEMP B-TREE FOR ORDER BY|SCAN (?!run USING INDEX run_owned)/.test(detail))).toEqual([])
      }
    }))

  it.effect("everything that a call of a model goes through finds its rows by an index, so it does not grow with the log", () =>
    Effect.gen(function*() {
      const { calls, plansOf, runs, turns } = yield* notedLedger
      const fence = yield* runs.admitRun(sampleAdmission(1))
      const conversationId = sampleId.conversation(1)
      const callId = sampleId.call(3)
      const unbegun = { state: "supervising", claim: undefined } as const
      const waiting = { state: "awaiting_approval", claim: undefined } as const
      const at = sampleInstant(9)
      const message = "SEARCH event USING INDEX event_by_item (turn_id=? AND item_id=?)"
      const answered = "SEARCH event USING INDEX event_by_answered_call (call_id=?)"
      const row = "SEARCH tool_call USING INDEX sqlite_autoindex_tool_call_1 (call_id=?)"
      for (const [use, index] of [
        [calls.proposeToolCalls(fence, sampleProposal(1, [3, 4])), message],
        [calls.proposeToolCalls(fence, sampleProposal(1, [3, 4])), answered],
        [calls.advanceToolCall(fence, { callId, from: unbegun, to: waiting, interaction: sampleApproval, at }), row],
        [calls.recordResolution(fence, { callId, resolution: sampleResolution(3) }), row],
        [calls.unfinishedCall(callId), row],
        [calls.unfinishedCalls(fence.runId), "SEARCH event USING INDEX sqlite_autoindex_event_1 (conversation_id=? AND sequence=?)"],
        [
          calls.openCallsOfStep({ conversationId, modelStep: 2 }),
          "SEARCH tool_call USING COVERING INDEX tool_call_by_start (conversation_id=? AND start_sequence=?)"
        ],
        [calls.settleToolCall(fence, { callId, from: waiting, response: sampleResponse(3), assets: [], at }), row],
        [calls.recordResolution(fence, { callId, resolution: sampleResolution(3) }), answered],
        [calls.storedResponse(callId), answered],
        [calls.callOfItem({ turnId: sampleId.turn(1), itemId: "item-3" }), message],
        [calls.callOfItem({ turnId: sampleId.turn(1), itemId: "item-4" }), "SEARCH tool_call USING INDEX tool_call_by_turn (turn_id=?)"],
        [calls.sessionApprovals(conversationId), "SEARCH event USING INDEX sqlite_autoindex_event_1 (conversation_id=?)"],
        [turns.sessionContext({ conversationId, after: 1 }), "SEARCH event USING INDEX sqlite_autoindex_event_1 (conversation_id=? AND sequence>?)"],
        [turns.appendTurnEvent(fence, sampleSteer(1, "delivered")), message],
        [
          turns.settleTurn(fence, sampleSettlement(1, "lost", { responses: [{ response: sampleResponse(4), assets: [] }] })),
          "SEARCH turn USING INDEX sqlite_autoindex_turn_1 (turn_id=?)"
        ],
        [
          turns.admitTurn(fence, { conversationId, turnId: sampleId.turn(2), admitted: sampleAdmitted, at }),
          "SEARCH turn USING INDEX turn_by_session (conversation_id=?)"
        ],
        [runs.restRun(fence, { state: "blocked", at }).pipe(Effect.ignore), "SEARCH tool_call USING INDEX tool_call_by_turn (turn_id=?)"]
      ] as const) {
        const plan = yield* plansOf<unknown, unknown>(use)
        expect(plan).toContain(index)
        expect(plan.filter((detail) => /^SCAN (?!CONSTANT)|TEMP B-TREE/.test(detail))).toEqual([])
      }
    }))
})
