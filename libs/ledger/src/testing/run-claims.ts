/** Claims about Runs: admission, ownership, lists. */
import { Effect } from "effect"
import { expect } from "vitest"
import { CallLedger } from "../calls.ts"
import { RunLedger } from "../runs.ts"
import { TurnLedger } from "../turns.ts"
import { admitted, type Claim, eventTypes, recordOf, refusal } from "./contract-test.ts"
import {
  sampleAdmission,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOwner,
  sampleResponse,
  sampleSettlement
} from "./sample-facts.ts"

export const runClaims = (claim: Claim): void => {
  claim("an admission stores Run, owner, Session, Turn and input together", Effect.gen(function*() {
    const runs = yield* RunLedger
    const answer = yield* runs.admitRun(sampleAdmission(1, "make test"))
    expect(answer).toEqual({ repeated: false, runId: sampleId.run(1), epoch: 1 })
    const record = yield* recordOf(1)
    expect(record.run).toEqual({
      runId: sampleId.run(1),
      kind: "once",
      workspacePath: "/workspace",
      harness: { id: "command" },
      state: "running",
      epoch: 1,
      owner: sampleOwner(100),
      launchedAt: sampleInstant(1),
      activityAt: sampleInstant(1),
      input: "make test"
    })
    expect(record.start).toEqual(sampleAdmission(1, "make test").input)
    expect(yield* runs.startInput(sampleId.run(1))).toEqual(record.start)
    expect(yield* runs.startInput(sampleId.run(2))).toBeUndefined()
    expect(record.sessions).toEqual([
      { conversationId: sampleId.conversation(1), runId: sampleId.run(1), name: "main", availability: "open" }
    ])
    expect(record.turns).toEqual([{
      turnId: sampleId.turn(1),
      conversationId: sampleId.conversation(1),
      origin: "user",
      entry: false,
      admittedAt: sampleInstant(1)
    }])
    expect(record.events).toEqual([{
      conversationId: sampleId.conversation(1),
      sequence: 1,
      turnId: sampleId.turn(1),
      type: "turn-admitted",
      version: 1,
      payload: sampleAdmission(1, "make test").admitted,
      createdAt: sampleInstant(1)
    }])
  }))

  claim("an equal Operation is answered with the first Run and writes nothing", Effect.gen(function*() {
    const runs = yield* RunLedger
    yield* admitted(1)
    yield* runs.takeOver({ runId: sampleId.run(1), epoch: 1, owner: sampleOwner(7), at: sampleInstant(2) })
    const { operation, ...rest } = sampleAdmission(1).input
    const again = { ...sampleAdmission(2), operationId: sampleId.operation(1), input: { ...rest, operation } }
    expect(yield* runs.admitRun(again)).toEqual({ repeated: true, runId: sampleId.run(1), epoch: 2 })
    expect(yield* runs.admittedRun(again)).toEqual({ repeated: true, runId: sampleId.run(1), epoch: 2 })
    expect(yield* runs.listRuns({ limit: 10 })).toHaveLength(1)
    expect(eventTypes(yield* recordOf(1))).toEqual(["turn-admitted"])
  }))

  claim("an Operation that started nothing yet is not known", Effect.gen(function*() {
    const runs = yield* RunLedger
    expect(yield* runs.admittedRun(sampleAdmission(1))).toBeUndefined()
  }))

  claim("a used operation id with another input is refused and writes nothing", Effect.gen(function*() {
    const runs = yield* RunLedger
    yield* admitted(1)
    const other = { ...sampleAdmission(2, "another input"), operationId: sampleId.operation(1) }
    expect(yield* refusal(runs.admitRun(other))).toBe("OperationIdReused")
    expect(yield* refusal(runs.admittedRun(other))).toBe("OperationIdReused")
    expect(yield* runs.runRow(sampleId.run(2))).toBeUndefined()
  }))

  claim("concurrent admissions of one Operation make one Run", Effect.gen(function*() {
    const runs = yield* RunLedger
    const answers = yield* Effect.all(
      [1, 2, 3, 4].map((number) => runs.admitRun({ ...sampleAdmission(number), operationId: sampleId.operation(1) })),
      { concurrency: "unbounded" }
    )
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1)
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1)
    expect(yield* runs.listRuns({ limit: 10 })).toHaveLength(1)
  }))

  claim("a takeover fences the earlier owner out of every write", Effect.gen(function*() {
    const runs = yield* RunLedger
    const calls = yield* CallLedger
    const turns = yield* TurnLedger
    const old = yield* admitted(1)
    yield* calls.createToolCalls(old, [sampleCall(1, 1)])
    const fence = yield* runs.takeOver({ runId: old.runId, epoch: 1, owner: sampleOwner(200), at: sampleInstant(3) })
    expect(fence).toEqual({ runId: old.runId, epoch: 2 })
    const before = yield* recordOf(1)
    expect(before.run.owner).toEqual(sampleOwner(200))
    const at = sampleInstant(4)
    const callId = sampleId.call(1)
    const from = { state: "running", claim: "claim" } as const
    const writes = [
      runs.restRun(old, { state: "halted", at }),
      turns.settleTurn(old, sampleSettlement(1)),
      calls.createToolCalls(old, [sampleCall(1, 2)]),
      calls.advanceToolCall(old, { callId, from, to: from, at }),
      calls.recordProcess(old, { callId, claim: "claim", process: sampleOwner(9), at }),
      calls.settleToolCall(old, { callId, from, response: sampleResponse(1), assets: [], at })
    ]
    for (const write of writes) expect(yield* refusal<unknown, never>(write)).toBe("Fenced")
    expect(yield* recordOf(1)).toEqual(before)
    yield* calls.settleToolCall(fence, { callId, from, response: sampleResponse(1), assets: [], at })
  }))

  claim("of concurrent takeovers of one epoch exactly one wins", Effect.gen(function*() {
    const runs = yield* RunLedger
    const { runId } = yield* admitted(1)
    const taken = yield* Effect.all(
      [1, 2, 3, 4].map((pid) =>
        Effect.result(runs.takeOver({ runId, epoch: 1, owner: sampleOwner(pid), at: sampleInstant(2) }))
      ),
      { concurrency: "unbounded" }
    )
    expect(taken.filter((result) => result._tag === "Success")).toHaveLength(1)
    expect((yield* recordOf(1)).run.epoch).toBe(2)
  }))

  claim("a takeover shows the state it names, or leaves the state as it was", Effect.gen(function*() {
    const runs = yield* RunLedger
    const { runId } = yield* admitted(1)
    const take = (epoch: number, state: "blocked" | undefined) =>
      runs.takeOver({ runId, epoch, owner: sampleOwner(epoch), ...(state && { state }), at: sampleInstant(2) })
    yield* take(1, "blocked")
    expect((yield* recordOf(1)).run.state).toBe("blocked")
    yield* take(2, undefined)
    expect((yield* recordOf(1)).run.state).toBe("blocked")
  }))

  claim("a takeover of an unknown Run is refused", Effect.gen(function*() {
    const runs = yield* RunLedger
    const takeover = { runId: sampleId.run(9), epoch: 1, owner: sampleOwner(1), at: sampleInstant(1) }
    expect(yield* refusal(runs.takeOver(takeover))).toBe("Fenced")
  }))

  claim("a Run rests only without unsettled Turn, and its last owner can write no more", Effect.gen(function*() {
    const runs = yield* RunLedger
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    const rest = { state: "blocked", at: sampleInstant(20) } as const
    expect(yield* refusal(runs.restRun(fence, rest))).toBe("Conflict")
    yield* turns.settleTurn(fence, sampleSettlement(1))
    yield* runs.restRun(fence, rest)
    const { run } = yield* recordOf(1)
    expect(run).toMatchObject({ state: "blocked", settledAt: sampleInstant(20), epoch: 1 })
    expect(run.owner).toBeUndefined()
    expect(yield* refusal(runs.restRun(fence, rest))).toBe("Fenced")
    const next = yield* runs.takeOver({ ...fence, owner: sampleOwner(2), at: sampleInstant(30) })
    yield* runs.restRun(next, { state: "halted", at: sampleInstant(31) })
  }))

  claim("a resting Run that was taken over can rest cancelled, and its Sessions end", Effect.gen(function*() {
    const runs = yield* RunLedger
    const turns = yield* TurnLedger
    const fence = yield* admitted(1)
    yield* turns.settleTurn(fence, sampleSettlement(1, "completed", { rest: "succeeded" }))
    const before = yield* recordOf(1)
    const taken = yield* runs.takeOver({ ...fence, owner: sampleOwner(2), at: sampleInstant(30) })
    yield* runs.restRun(taken, { state: "cancelled", at: sampleInstant(31) })
    const { run, ...rest } = yield* recordOf(1)
    expect(run).toMatchObject({ state: "cancelled", settledAt: sampleInstant(31), epoch: 2 })
    expect(run.owner).toBeUndefined()
    const sessions = before.sessions.map((session) => ({ ...session, availability: "ended" }))
    expect(rest).toEqual({ ...before, run: undefined, sessions })
  }))

  claim("owned Runs are listed oldest first, resting ones not at all", Effect.gen(function*() {
    const runs = yield* RunLedger
    const turns = yield* TurnLedger
    for (const number of [3, 1, 2]) yield* admitted(number)
    yield* turns.settleTurn({ runId: sampleId.run(2), epoch: 1 }, sampleSettlement(2, "completed", { rest: "succeeded" }))
    expect((yield* runs.ownedRuns).map(({ runId }) => runId)).toEqual([sampleId.run(1), sampleId.run(3)])
  }))

  claim("a list is newest first and keeps to workspace, states, position and limit", Effect.gen(function*() {
    const runs = yield* RunLedger
    const turns = yield* TurnLedger
    for (const number of [2, 4, 1, 3]) {
      const admission = sampleAdmission(number)
      const workspace = number === 3 ? "/other" : "/workspace"
      yield* runs.admitRun({ ...admission, input: { ...admission.input, workspace } })
    }
    yield* turns.settleTurn({ runId: sampleId.run(4), epoch: 1 }, sampleSettlement(4, "failed", { rest: "failed" }))
    const numbers = (query: Parameters<typeof runs.listRuns>[0]) =>
      Effect.map(runs.listRuns(query), (rows) => rows.map(({ runId }) => Number(runId.slice(-1))))
    expect(yield* numbers({ limit: 10 })).toEqual([4, 3, 2, 1])
    expect(yield* numbers({ limit: 2 })).toEqual([4, 3])
    expect(yield* numbers({ limit: 10, workspacePath: "/workspace" })).toEqual([4, 2, 1])
    expect(yield* numbers({ limit: 10, states: ["failed", "halted"] })).toEqual([4])
    expect(yield* numbers({ limit: 10, states: [] })).toEqual([])
    expect(yield* numbers({ limit: 1, before: sampleId.run(3), workspacePath: "/workspace", states: ["running"] })).toEqual([2])
  }))

  claim("ids are found by prefix, newest first, with no wildcard in the prefix", Effect.gen(function*() {
    const runs = yield* RunLedger
    for (const number of [1, 2, 33]) yield* admitted(number)
    const ids = [33, 2, 1].map(sampleId.run)
    expect(yield* runs.runIdsByPrefix("run_0", 10)).toEqual(ids)
    expect(yield* runs.runIdsByPrefix("run_0", 2)).toEqual(ids.slice(0, 2))
    expect(yield* runs.runIdsByPrefix(sampleId.run(33), 10)).toEqual([sampleId.run(33)])
    for (const prefix of ["run_%", "run__", "run_0*", "run_1", "un_"]) {
      expect(yield* runs.runIdsByPrefix(prefix, 10)).toEqual([])
    }
  }))

  claim("an unknown Run has neither record nor row", Effect.gen(function*() {
    const runs = yield* RunLedger
    expect(yield* runs.readRun(sampleId.run(9))).toBeUndefined()
    expect(yield* runs.runRow(sampleId.run(9))).toBeUndefined()
  }))

  claim("activity follows the newest fact, also in lists", Effect.gen(function*() {
    const runs = yield* RunLedger
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    yield* calls.createToolCalls(fence, [sampleCall(1, 1, { at: sampleInstant(50) })])
    expect((yield* runs.listRuns({ limit: 1 }))[0]?.activityAt).toBe(sampleInstant(50))
    expect((yield* runs.runRow(fence.runId))?.activityAt).toBe(sampleInstant(50))
  }))

  claim("records of other Runs do not mix", Effect.gen(function*() {
    const calls = yield* CallLedger
    yield* admitted(1)
    const fence = yield* admitted(2)
    yield* calls.createToolCalls(fence, [sampleCall(2, 5)])
    const record = yield* recordOf(1)
    expect(record.unfinished).toEqual([])
    expect(eventTypes(record)).toEqual(["turn-admitted"])
    expect((yield* recordOf(2)).unfinished.map(({ callId }) => callId)).toEqual([sampleId.call(5)])
  }))

  claim("a reading is of one moment, also of a long log that grows meanwhile", Effect.gen(function*() {
    const runs = yield* RunLedger
    const calls = yield* CallLedger
    const fence = yield* admitted(1)
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1)
    yield* calls.createToolCalls(fence, numbers.map((call) => sampleCall(1, call)))
    const settling = yield* Effect.forkChild(Effect.forEach(numbers, (call) =>
      Effect.andThen(
        calls.settleToolCall(fence, {
          callId: sampleId.call(call),
          from: { state: "running", claim: "claim" },
          response: sampleResponse(call),
          assets: [],
          at: sampleInstant(call)
        }),
        Effect.yieldNow
      )))
    let between = 0
    while (settling.pollUnsafe() === undefined) {
      const record = yield* runs.readRun(fence.runId)
      const responses = record?.events.filter((event) => event.type === "tool-call-response").length ?? 0
      expect(responses + (record?.unfinished.length ?? 0)).toBe(300)
      if (responses > 0 && responses < 300) between++
      yield* Effect.yieldNow
    }
    expect(between).toBeGreaterThan(0)
  }))
}
