import { assert, describe, it } from "@effect/vitest"
import type { CallId } from "@steno/contracts"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { CallTurn } from "./call-requests.ts"
import { ControlledPorts } from "./testing/controlled-ports.ts"
import { firstOwner, recordOf, temporaryDatabase } from "./testing/owned-run.ts"
import type { RacingReply, RacingTask } from "./testing/racing-child.ts"

const rounds = 500

/** A long-lived process; `ask` resolves with its next line. */
const racer = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [fileURLToPath(new URL("./testing/racing-child.ts", import.meta.url)), file], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async (): Promise<RacingReply> => {
        const line = await lines.next()
        if (line.done === true) throw new Error("The process ended before it answered")
        return JSON.parse(line.value)
      }
      return { child, next, ask: (task: RacingTask) => {
        child.stdin.write(`${JSON.stringify(task)}\n`)
        return next()
      } }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

/** Of ten rounds each is first in one for certain; in the others the owner ends its call within some turns of the takeover. */
const racing = Effect.fnUntraced(function*(round: number, end: () => Promise<RacingReply>, take: () => Promise<RacingReply>) {
  if (round % 10 === 8) {
    const own = yield* Effect.promise(end)
    return [own, yield* Effect.promise(take)] as const
  }
  const taken = take()
  yield* turns(round % 8)
  if (round % 10 === 9) yield* Effect.promise(() => taken)
  return yield* Effect.promise(() => Promise.all([end(), taken]))
})

describe("two processes that settle one call at once", () => {
  it.live(`leave one response, whoever is first, ${rounds} times; the other one writes nothing`, () =>
    Effect.gen(function*() {
      const file = yield* temporaryDatabase
      const reader = yield* firstOwner({ file, ports: new ControlledPorts() })
      const racers = yield* Effect.all([racer(file), racer(file)])
      yield* Effect.promise(() => Promise.all(racers.map(({ next }) => next())))
      let turn: CallTurn = reader.turn
      const expected = new Map<CallId | undefined, string>()
      for (let round = 0; round < rounds; round++) {
        const [owner, taker] = round % 2 === 0 ? racers : [racers[1], racers[0]]
        const name = `call-${round}`
        const { callId } = yield* Effect.promise(() => owner.ask({ do: "begin", turn, name }))
        const take = () => taker.ask({ do: "take", turn })
        const end = () => owner.ask({ do: "end", name })
        const [own, other] = yield* racing(round, end, take)
        const outcomes = [own.outcome, other.outcome].filter((outcome) => outcome !== undefined)
        assert.lengthOf(outcomes, 1, `round ${round}`)
        expected.set(callId, outcomes[0] ?? "")
        turn = { ...turn, fence: { ...turn.fence, epoch: other.epoch ?? 0 } }
      }
      const { responses, rows } = yield* recordOf(reader)
      assert.deepStrictEqual(rows, [])
      assert.deepStrictEqual(new Map(responses.map(({ callId, outcome }) => [callId, outcome])), expected)
      assert.lengthOf(responses, rounds)
      const won = new Set(expected.values())
      assert.deepStrictEqual(won, new Set(["completed", "indeterminate"]))
    }).pipe(Effect.scoped), 120_000)
})
