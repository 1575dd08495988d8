/** Settlements per second through the ledger beside the same two commits per call in bare better-sqlite3. */
import { IdMinter, type ToolCallResponse } from "@steno/contracts"
import { CallLedger, type Fence } from "@steno/ledger"
import Database from "better-sqlite3"
import { DateTime, Effect } from "effect"
import { join } from "node:path"
import { admitRun, coreOn, makeHome, removeHome } from "./core.ts"
import { report } from "./ratio.ts"

const rounds = 9
const callsPerRound = 200
const text = "x".repeat(1_000)
const claim = "claim_1_bench"
const supervision = JSON.stringify({ decision: "allow", by: "user" })

interface CallText {
  readonly callId: string
  readonly at: string
  readonly started: string
  readonly response: string
}

interface Admitted {
  readonly fence: Fence
  readonly conversationId: string
  readonly turnId: string
}

/** The same two commits per call, on a home of the same schema: the same rows, nothing checked, nothing published. */
const openBare = (file: string, { conversationId, fence, turnId }: Admitted) => {
  const database = new Database(file, { timeout: 0 })
  database.pragma("synchronous = FULL")
  database.pragma("foreign_keys = ON")
  const insertEvent = database.prepare(
    `INSERT INTO event (conversation_id, sequence, turn_id, item_id, first_seen, type, version, payload, created_at, call_id)
     VALUES (?, ?, ?, ?, 0, ?, 1, ?, ?, ?)`
  )
  const insertCall = database.prepare(
    `INSERT INTO tool_call (call_id, run_id, conversation_id, turn_id, item_id, first_seen, origin, tool, state, supervision,
       claim, started_at, updated_at, start_sequence)
     VALUES (?, ?, ?, ?, ?, 0, 'user', 'bash', 'running', ?, ?, ?, ?, ?)`
  )
  const deleteCall = database.prepare("DELETE FROM tool_call WHERE call_id = ?")
  let sequence = 1
  const create = database.transaction(({ at, callId, started }: CallText) => {
    insertEvent.run(conversationId, ++sequence, turnId, callId, "tool-call-started", started, at, null)
    insertCall.run(callId, fence.runId, conversationId, turnId, callId, supervision, claim, at, at, sequence)
  })
  const settle = database.transaction(({ at, callId, response }: CallText) => {
    insertEvent.run(conversationId, ++sequence, turnId, callId, "tool-call-response", response, at, callId)
    deleteCall.run(callId)
  })
  return { database, create: create.immediate, settle: settle.immediate }
}

export const benchSettle = Effect.gen(function*() {
  const home = makeHome()
  const bareHome = makeHome()
  const bareTurn = yield* Effect.provide(admitRun, coreOn(bareHome))
  const ratios = yield* Effect.gen(function*() {
    const calls = yield* CallLedger
    const ids = yield* IdMinter
    const { conversationId, fence, turnId } = yield* admitRun
    const bare = openBare(join(bareHome, "core.sqlite"), bareTurn)

    const stenoCall = Effect.gen(function*() {
      const callId = yield* ids.mint("call")
      const at = DateTime.formatIso(yield* DateTime.now)
      yield* calls.createToolCalls(fence, [{
        conversationId,
        turnId,
        itemId: callId,
        firstSeen: 0,
        started: { callId, origin: "user", tool: "bash", arguments: { command: "true", cwd: "/" } },
        state: "running",
        supervision: { decision: "allow", by: "user" },
        claim,
        at
      }])
      const response: ToolCallResponse = {
        callId,
        tool: "bash",
        origin: "user",
        outcome: "completed",
        exitCode: 0,
        survivors: [],
        agentProjection: text,
        warnings: [],
        assetIds: []
      }
      yield* calls.settleToolCall(fence, { callId, from: { state: "running", claim }, response, assets: [], at })
    })
    const throughput = (work: Effect.Effect<void, unknown>) =>
      Effect.gen(function*() {
        const started = performance.now()
        for (let call = 0; call < callsPerRound; call++) yield* work
        return callsPerRound / (performance.now() - started)
      })
    const bareCall = Effect.gen(function*() {
      const callId = yield* ids.mint("call")
      const at = DateTime.formatIso(yield* DateTime.now)
      const common = { callId, tool: "bash", origin: "user" }
      const call: CallText = {
        callId,
        at,
        started: JSON.stringify({ ...common, arguments: { command: "true", cwd: "/" } }),
        response: JSON.stringify({
          ...common,
          outcome: "completed",
          exitCode: 0,
          survivors: [],
          agentProjection: text,
          warnings: [],
          assetIds: []
        })
      }
      bare.create(call)
      bare.settle(call)
    })
    yield* throughput(stenoCall)
    yield* throughput(bareCall)
    const found: Array<number> = []
    for (let round = 0; round < rounds; round++) found.push((yield* throughput(stenoCall)) / (yield* throughput(bareCall)))
    bare.database.close()
    return found
  }).pipe(Effect.provide(coreOn(home)))
  removeHome(home)
  removeHome(bareHome)
  report("settle throughput against the same commits in bare better-sqlite3", ratios, { unit: " ×", atLeast: 0.6 })
})
