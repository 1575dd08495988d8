/** Settlements per second through the ledger beside the same two commits per call in bare better-sqlite3. */
import { IdMinter, type ToolCallResponse } from "@steno/contracts"
import { CallLedger } from "@steno/ledger"
import Database from "better-sqlite3"
import { DateTime, Effect } from "effect"
import { join } from "node:path"
import { admitRun, coreOn, makeHome, removeHome } from "./core.ts"
import { report } from "./ratio.ts"

const rounds = 9
const callsPerRound = 200
const text = "x".repeat(1_000)

const openBare = (file: string) => {
  const database = new Database(file, { timeout: 0 })
  database.pragma("journal_mode = WAL")
  database.pragma("synchronous = FULL")
  database.exec(`
    CREATE TABLE event (conversation_id TEXT, sequence INTEGER, type TEXT, payload TEXT, PRIMARY KEY (conversation_id, sequence)) STRICT, WITHOUT ROWID;
    CREATE TABLE tool_call (call_id TEXT PRIMARY KEY, state TEXT, claim TEXT) STRICT;
  `)
  const insertEvent = database.prepare("INSERT INTO event VALUES ('conv', ?, ?, ?)")
  const insertCall = database.prepare("INSERT INTO tool_call VALUES (?, 'running', 'claim')")
  const deleteCall = database.prepare("DELETE FROM tool_call WHERE call_id = ?")
  let sequence = 0
  const create = database.transaction((callId: string) => {
    insertEvent.run(++sequence, "tool-call-started", JSON.stringify({ callId, command: "true" }))
    insertCall.run(callId)
  })
  const settle = database.transaction((callId: string) => {
    insertEvent.run(++sequence, "tool-call-response", JSON.stringify({ callId, outcome: "completed", text }))
    deleteCall.run(callId)
  })
  return { database, create: create.immediate, settle: settle.immediate }
}

export const benchSettle = Effect.gen(function*() {
  const home = makeHome()
  const ratios = yield* Effect.gen(function*() {
    const calls = yield* CallLedger
    const ids = yield* IdMinter
    const { conversationId, fence, turnId } = yield* admitRun
    const bare = openBare(join(home, "bare.sqlite"))

    const stenoCall = Effect.gen(function*() {
      const callId = yield* ids.mint("call")
      const at = DateTime.formatIso(yield* DateTime.now)
      const claim = "claim_1_bench"
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
    let next = 0
    const bareCall = Effect.sync(() => {
      const callId = `call_${next++}`
      bare.create(callId)
      bare.settle(callId)
    })
    yield* throughput(stenoCall)
    yield* throughput(bareCall)
    const found: Array<number> = []
    for (let round = 0; round < rounds; round++) found.push((yield* throughput(stenoCall)) / (yield* throughput(bareCall)))
    bare.database.close()
    return found
  }).pipe(Effect.provide(coreOn(home)))
  removeHome(home)
  report("settle throughput against the same commits in bare better-sqlite3", ratios, { unit: " ×", atLeast: 0.6 })
})
