/** Runs of a scripted outside agent, on a home and a workspace of their own. */
import type { HarnessEntry } from "@steno/application"
import type { RunId, StartInput } from "@steno/contracts"
import type { CloseReport, PrepareOptions } from "@steno/harness-seam"
import { type FakeHarness, type FakeTurn, makeFakeHarness } from "@steno/harness-seam/testing"
import { ProjectionPort } from "@steno/projection-port"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { portOn, startInput, temporaryFolder } from "../testing.ts"

export interface OutsideAgent {
  readonly home: string
  readonly workspace: string
  readonly fake: FakeHarness
  /** What its program was prepared with, Turn by Turn. */
  readonly prepared: ReadonlyArray<PrepareOptions>
  /** Starts a Run of the agent; resolves when it was admitted. */
  readonly begin: (more?: Partial<StartInput>) => Effect.Effect<RunId, unknown, ProjectionPort>
  /** Payloads and types of what is on record, without admissions. */
  readonly stored: () => ReadonlyArray<readonly [type: string, payload: Record<string, unknown>]>
  /** The Sessions as they lie in the database. */
  readonly sessions: () => ReadonlyArray<{ readonly availability: string; readonly recovery_coordinate: string | null }>
}

type ClosedWith = Partial<Pick<CloseReport, "survivors">>

/** @param prepared is told what each preparation was asked for */
const entryOf = (fake: FakeHarness, prepared: Array<PrepareOptions>, closing: Effect.Effect<ClosedWith>): HarnessEntry => ({
  id: fake.id,
  name: fake.name,
  harness: {
    ...fake,
    prepare: (options) => {
      prepared.push(options)
      return Effect.map(fake.prepare(options), (harness) => ({
        ...harness,
        close: Effect.zipWith(closing, harness.close, (more, report) => ({ ...report, ...more }))
      }))
    }
  },
  agent: "outside",
  needs: "A script.",
  model: { kind: "own" },
  look: () => Effect.succeed({ found: true, qualification: "qualified" })
})

const rowsOf = <Row>(home: string, sql: string): ReadonlyArray<Row> => {
  const database = new Database(join(home, "core.sqlite"), { readonly: true })
  try {
    return database.prepare<[], Row>(sql).all()
  } finally {
    database.close()
  }
}

/**
 * Plays one script per Turn.
 *
 * @param closing what comes before the end of a program, with what it leaves
 */
export const onOutsideAgent = <A, E>(
  turns: ReadonlyArray<FakeTurn>,
  test: (agent: OutsideAgent) => Effect.Effect<A, E, ProjectionPort>,
  closing: Effect.Effect<ClosedWith> = Effect.succeed({})
) =>
  Effect.scoped(Effect.gen(function*() {
    const home = join(yield* temporaryFolder, "home")
    const workspace = yield* temporaryFolder
    const fake = makeFakeHarness({ turns })
    const prepared: Array<PrepareOptions> = []
    const agent: OutsideAgent = {
      home,
      workspace,
      fake,
      prepared,
      begin: (more = {}) =>
        ProjectionPort.use((port) =>
          Effect.map(port.submit({ input: startInput("Do it.", workspace, { harness: fake.id, ...more }) }), ({ runId }) => runId)),
      stored: () =>
        rowsOf<{ readonly type: string; readonly payload: string }>(
          home,
          "SELECT type, payload FROM event WHERE type <> 'turn-admitted' ORDER BY conversation_id, sequence"
        ).map(({ payload, type }) => [type, JSON.parse(payload)] as const),
      sessions: () => rowsOf(home, "SELECT availability, recovery_coordinate FROM session")
    }
    return yield* Effect.provide(test(agent), portOn(home, "write", { outsideAgents: { entries: [entryOf(fake, prepared, closing)] }, agentCallProgram: { command: "node", arguments: ["server"] } }))
  }))
