/**
 * Finds what is missing in a record whose database can be read.
 *
 * Owns: which rows must exist because others do; events that cannot be read.
 * Never owns: files (asset-store), damage of the database file itself (database-health), what a person is told (runtime).
 * Limits: synchronous, reads every event. A row that nothing else points to can vanish without a trace here. A buried Run is
 *   being removed and lacks nothing.
 */
import { callBlocks, type LoggedEvent } from "@steno/contracts"
import { logReader } from "./event-reading.ts"
import type { Connection } from "./sqlite-client.ts"
import type { EventColumns } from "./stored-rows.ts"

/**
 * - `run-lost`, `session-lost`: others name it, its own row is gone
 * - `run-incomplete`, `session-incomplete`: something that belongs to it is gone or cannot be read
 * - `record-incomplete`: something is gone of which no Run and no Session is known
 */
export type RecordFaultKind = "run-lost" | "session-lost" | "run-incomplete" | "session-incomplete" | "record-incomplete"

export interface RecordFault {
  readonly kind: RecordFaultKind
  /** Absent for a Session of which no Run is known. */
  readonly runId?: string
  /** Of a Session. */
  readonly conversationId?: string
  /** Name of the Session, where its row is there. */
  readonly session?: string
  /** Each a statement, e.g. `events 50 to 52 cannot be read`. */
  readonly what: ReadonlyArray<string>
}

interface SessionPlace {
  readonly conversation_id: string
  readonly run_id: string | null
  readonly name: string | null
}

type LoggedRow = EventColumns & SessionPlace

/** `50, 52 to 54`. */
export const sequenceText = (events: ReadonlyArray<{ readonly sequence: number; readonly lastSequence?: number }>): string => {
  const ranges: Array<[number, number]> = []
  for (const { lastSequence, sequence } of events) {
    const open = ranges.at(-1)
    if (open !== undefined && open[1] + 1 === sequence) open[1] = lastSequence ?? sequence
    else ranges.push([sequence, lastSequence ?? sequence])
  }
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first} to ${last}`).join(", ")
}

/** What the log of one Session says about other rows, gathered while it is read once. */
class LogSummary {
  readonly unreadable: Array<{ readonly sequence: number; readonly lastSequence?: number }> = []
  readonly admitted = new Set<string>()
  readonly settled = new Set<string>()
  readonly started = new Set<string>()
  readonly responded = new Set<string>()
  readonly assetIds = new Set<string>()

  take(event: LoggedEvent): void {
    switch (event.type) {
      case "unreadable":
        this.unreadable.push(event)
        return
      case "turn-admitted":
        this.admitted.add(event.turnId)
        return
      case "turn-settled":
        this.settled.add(event.turnId)
        return
      case "tool-call-started":
        this.started.add(event.payload.callId)
        return
      case "assistant-message":
        callBlocks(event.payload).forEach(({ block }) => this.started.add(block.callId))
        return
      case "tool-call-response":
        this.responded.add(event.payload.callId)
        event.payload.assetIds.forEach((id) => this.assetIds.add(id))
    }
  }
}

/** Every log of every Session that is not buried, by conversation id. */
function* logs(database: Connection): Generator<readonly [place: SessionPlace, log: LogSummary]> {
  const rows = database.prepare<[], LoggedRow>(
    `SELECT event.*, session.run_id, session.name FROM event LEFT JOIN session USING (conversation_id)
     LEFT JOIN run USING (run_id) WHERE run.buried_at IS NULL ORDER BY event.conversation_id, event.sequence`
  ).iterate()
  let open: { readonly place: SessionPlace; readonly log: LogSummary; readonly reader: ReturnType<typeof logReader> } | undefined
  for (const row of rows) {
    if (open?.place.conversation_id !== row.conversation_id) {
      if (open !== undefined) yield [open.place, open.log]
      open = { place: row, log: new LogSummary(), reader: logReader(row.conversation_id) }
    }
    for (const event of open.reader.take(row)) open.log.take(event)
  }
  if (open !== undefined) yield [open.place, open.log]
}

interface TurnFacts {
  readonly turn_id: string
  readonly result: string | null
}

const countText = (count: number, one: string, many: string): string => count === 1 ? `1 ${one}` : `${count} ${many}`

/** What one log lacks, or what lacks beside it. */
const lacksOf = (database: Connection, place: SessionPlace, log: LogSummary): ReadonlyArray<string> => {
  const values = (sql: string) => new Set(database.prepare<[string], string>(sql).pluck().all(place.conversation_id))
  const turns = database.prepare<[string], TurnFacts>("SELECT turn_id, result FROM turn WHERE conversation_id = ?").all(place.conversation_id)
  const unfinished = values("SELECT call_id FROM tool_call WHERE conversation_id = ?")
  const assets = values("SELECT asset_id FROM asset WHERE conversation_id = ?")
  const known = new Set(turns.map(({ turn_id: id }) => id))
  const lostTurns = [...values("SELECT DISTINCT turn_id FROM event WHERE conversation_id = ?")].filter((id) => !known.has(id))
  const lostAssets = [...log.assetIds].filter((id) => !assets.has(id))
  const unended = [...log.started].filter((id) => !log.responded.has(id) && !unfinished.has(id))
  const unstarted = [...log.responded, ...unfinished].filter((id) => !log.started.has(id))
  const unadmitted = turns.filter(({ turn_id: id }) => !log.admitted.has(id))
  const unsettled = turns.filter(({ result, turn_id: id }) => result !== null && !log.settled.has(id))
  return [
    ...(log.unreadable.length === 0 ? [] : [`what cannot be read: event ${sequenceText(log.unreadable)}`]),
    ...lostTurns.map((id) => `Turn ${id} has no row`),
    ...unadmitted.map(({ turn_id: id }) => `the admission of ${id} is not in the log`),
    ...unsettled.map(({ turn_id: id }) => `the end of ${id} is not in the log`),
    ...unstarted.map((id) => `the start of ${id} is not in the log`),
    ...unended.map((id) => `the response of ${id} is not in the log`),
    ...(lostAssets.length === 0 ? [] : [`${countText(lostAssets.length, "file has no row", "files have no row")}: ${lostAssets.join(", ")}`])
  ]
}

const sessionFault = (kind: RecordFaultKind, place: SessionPlace, what: ReadonlyArray<string>): RecordFault => ({
  kind,
  ...(place.run_id === null ? {} : { runId: place.run_id }),
  conversationId: place.conversation_id,
  ...(place.name === null ? {} : { session: place.name }),
  what
})

const lostRuns = (database: Connection): ReadonlyArray<RecordFault> =>
  database.prepare<[], string>(
    `SELECT run_id FROM (SELECT run_id FROM session UNION SELECT run_id FROM tool_call UNION SELECT run_id FROM operation)
     WHERE run_id IS NOT NULL AND run_id NOT IN (SELECT run_id FROM run) ORDER BY run_id`
  ).pluck().all().map((runId) => ({ kind: "run-lost", runId, what: ["its own row is lost"] }))

/** Sessions that others name; a Run is known only where an unfinished call says so. */
const lostSessions = (database: Connection): ReadonlyArray<RecordFault> =>
  database.prepare<[], SessionPlace>(
    `SELECT conversation_id, (SELECT run_id FROM tool_call WHERE tool_call.conversation_id = named.conversation_id LIMIT 1) AS run_id,
       NULL AS name
     FROM (SELECT conversation_id FROM turn UNION SELECT conversation_id FROM event
       UNION SELECT conversation_id FROM tool_call UNION SELECT conversation_id FROM asset) AS named
     WHERE conversation_id NOT IN (SELECT conversation_id FROM session) ORDER BY conversation_id`
  ).all().map((place) => sessionFault("session-lost", place, ["its own row is lost"]))

const emptyRuns = (database: Connection): ReadonlyArray<RecordFault> =>
  database.prepare<[], string>(
    "SELECT run_id FROM run WHERE buried_at IS NULL AND run_id NOT IN (SELECT run_id FROM session) ORDER BY run_id"
  ).pluck().all().map((runId) => ({ kind: "run-incomplete", runId, what: ["it has no Session"] }))

const unstartedRuns = (database: Connection): ReadonlyArray<RecordFault> =>
  database.prepare<[], string>(
    `SELECT run_id FROM run WHERE buried_at IS NULL AND NOT EXISTS
       (SELECT 1 FROM operation WHERE operation.run_id = run.run_id AND input LIKE '%"operation":"start"%') ORDER BY run_id`
  ).pluck().all().map((runId) => ({ kind: "run-incomplete", runId, what: ["the Operation that started it is lost"] }))

const sessionsWithout = (database: Connection, table: "turn" | "event", what: string): ReadonlyArray<RecordFault> =>
  database.prepare<[], SessionPlace>(
    `SELECT conversation_id, run_id, name FROM session LEFT JOIN run USING (run_id)
     WHERE buried_at IS NULL AND conversation_id NOT IN (SELECT conversation_id FROM ${table}) ORDER BY session.creation`
  ).all().map((place) => sessionFault("session-incomplete", place, [what]))

/** Everything that is missing, Runs and Sessions named by their ids. Empty for a record that is whole. */
export const inspectRecord = (database: Connection): ReadonlyArray<RecordFault> =>
  database.transaction((): ReadonlyArray<RecordFault> => {
    const incomplete: Array<RecordFault> = []
    for (const [place, log] of logs(database)) {
      const what = lacksOf(database, place, log)
      if (what.length > 0) incomplete.push(sessionFault("session-incomplete", place, what))
    }
    return [
      ...lostRuns(database),
      ...lostSessions(database),
      ...emptyRuns(database),
      ...unstartedRuns(database),
      ...sessionsWithout(database, "turn", "it has no Turn"),
      ...sessionsWithout(database, "event", "its log is empty"),
      ...incomplete
    ]
  })()
