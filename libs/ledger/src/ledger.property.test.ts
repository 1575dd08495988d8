import { it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { CallLedger } from "./calls.ts"
import { CommittedFacts } from "./committed-facts.ts"
import { ledgerLayer } from "./ledger-layer.ts"
import { RunLedger, type RunRecord } from "./runs.ts"
import { sampleAdmission, sampleCall, sampleId, sampleInstant, sampleOwner, sampleResponse, sampleSettlement } from "./testing.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"
import { TurnLedger } from "./turns.ts"

const small = fc.integer({ min: 1, max: 3 })
const epoch = fc.integer({ min: 1, max: 2 })
const claimText = fc.constantFrom("claim", "another", undefined)

/** Any write, legal or not; epochs, claims, states and ids are drawn independently. */
const command = fc.oneof(
  fc.record({ write: fc.constant("admit" as const), run: small, operation: small }),
  fc.record({ write: fc.constant("takeOver" as const), run: small, epoch }),
  fc.record({ write: fc.constant("create" as const), run: small, epoch, call: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ write: fc.constant("advance" as const), run: small, epoch, call: fc.integer({ min: 1, max: 6 }), claim: claimText }),
  fc.record({ write: fc.constant("settle" as const), run: small, epoch, call: fc.integer({ min: 1, max: 6 }), claim: claimText }),
  fc.record({ write: fc.constant("settleTurn" as const), run: small, epoch, answered: fc.subarray([1, 2, 3, 4, 5, 6]), rest: fc.boolean() }),
  fc.record({ write: fc.constant("rest" as const), run: small, epoch })
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

const at = sampleInstant(60)

const perform = Effect.fnUntraced(function*(step: Command) {
  const runs = yield* RunLedger
  const turns = yield* TurnLedger
  const calls = yield* CallLedger
  const runId = sampleId.run(step.run)
  const fence = { runId, epoch: "epoch" in step ? step.epoch : 1 }
  switch (step.write) {
    case "admit":
      return yield* runs.admitRun({ ...sampleAdmission(step.run), operationId: sampleId.operation(step.operation) })
    case "takeOver":
      return yield* runs.takeOver({ ...fence, owner: sampleOwner(9), at })
    case "create":
      return yield* calls.createToolCalls(fence, [sampleCall(step.run, step.call)])
    case "advance":
      return yield* calls.advanceToolCall(fence, {
        callId: sampleId.call(step.call),
        from: { state: "running", claim: step.claim },
        to: { state: "running", claim: "another" },
        at
      })
    case "settle":
      return yield* calls.settleToolCall(fence, {
        callId: sampleId.call(step.call),
        from: { state: "running", claim: step.claim },
        response: sampleResponse(step.call),
        assets: [],
        at
      })
    case "settleTurn": {
      const responses = step.answered.map((call) => ({ response: sampleResponse(call), assets: [] }))
      return yield* turns.settleTurn(fence, sampleSettlement(step.run, "lost", {
        responses,
        ...(step.rest && { rest: "halted" as const })
      }))
    }
    case "rest":
      return yield* runs.restRun(fence, { state: "halted", at })
  }
})

const idsOf = (record: RunRecord, type: "tool-call-started" | "tool-call-response") =>
  record.events.flatMap((event) => event.type === type ? [event.payload.callId] : [])

const checkRecord = (record: RunRecord): void => {
  const { events, turns, unfinished, run } = record
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(events[0]?.type).toBe("turn-admitted")
  const open = unfinished.map(({ callId }) => callId)
  const ended = idsOf(record, "tool-call-response")
  expect([...open, ...ended].toSorted()).toEqual(idsOf(record, "tool-call-started").toSorted())
  const settled = events.findIndex((event) => event.type === "turn-settled")
  expect(settled === -1 || settled === events.length - 1).toBe(true)
  expect(turns[0]?.result !== undefined).toBe(settled !== -1)
  if (settled !== -1) expect(open).toEqual([])
  if (run.state !== "running" && run.epoch === 1) expect(run.owner).toBeUndefined()
}

describe("any sequence of writes, legal or not", () => {
  it.live("leaves gap-free logs, one response per started call, one settlement per Turn, and tells exactly what is stored", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), (steps) =>
          Effect.runPromise(Effect.scoped(Effect.gen(function*() {
            const file = join(yield* temporaryFolder, "core.sqlite")
            yield* Effect.gen(function*() {
              const runs = yield* RunLedger
              const facts = yield* CommittedFacts
              const told = yield* facts.events.pipe(
                Stream.takeUntil(({ conversationId }) => conversationId === sampleId.conversation(9)),
                Stream.runCollect,
                Effect.forkChild({ startImmediately: true })
              )
              for (const step of [{ write: "admit", run: 1, operation: 1 } as const, ...steps]) {
                yield* Effect.exit(perform(step))
              }
              yield* runs.admitRun(sampleAdmission(9))
              const stored = []
              for (const run of [1, 2, 3, 9]) {
                const record = yield* runs.readRun(sampleId.run(run))
                if (record === undefined) continue
                checkRecord(record)
                stored.push(...record.events)
              }
              const heard = yield* Fiber.join(told)
              expect(heard.toSorted((left, right) =>
                left.conversationId < right.conversationId ? -1 : left.conversationId > right.conversationId ? 1 : 0
              )).toEqual(stored)
            }).pipe(Effect.provide(ledgerLayer({ file, access: "write" })))
          })))),
        { numRuns: 60 }
      )
    ))
})
