/**
 * What a repair could not bring over, by Run and Session.
 *
 * Owns: which Run or Session a lost row belongs to, as far as what is left says; the faults of one Run or Session as one.
 */
import { type RecordFault, sequenceText } from "./record-inspection.ts"
import type { KnownColumns, LostRow, TableLoss } from "./salvage/damaged-database.ts"
import type { Connection } from "./sqlite-client.ts"

const words: Readonly<Record<string, readonly [one: string, many: string]>> = {
  turn: ["Turn", "Turns"],
  event: ["event", "events"],
  tool_call: ["unfinished call", "unfinished calls"],
  asset: ["row of a file", "rows of files"],
  operation: ["Operation", "Operations"]
}

const text = (known: KnownColumns, column: string): string | undefined => {
  const value = known[column]
  return typeof value === "string" ? value : undefined
}

/** Completes what an index says of a row by what other rows say. */
const places = (database: Connection) => {
  const value = (sql: string) => {
    const statement = database.prepare<[string], string>(sql).pluck()
    return (key: string | undefined) => key === undefined ? undefined : statement.get(key)
  }
  const ofTurn = value(
    "SELECT conversation_id FROM (SELECT conversation_id, turn_id FROM turn UNION ALL SELECT conversation_id, turn_id FROM event) WHERE turn_id = ? LIMIT 1"
  )
  const ofCall = value(
    "SELECT conversation_id FROM (SELECT conversation_id, item_id AS id FROM event UNION ALL SELECT conversation_id, call_id FROM asset) WHERE id = ? LIMIT 1"
  )
  const ofRun = value("SELECT run_id FROM session WHERE conversation_id = ?")
  const nameOf = value("SELECT name FROM session WHERE conversation_id = ?")
  return (known: KnownColumns) => {
    const conversationId = text(known, "conversation_id") ?? ofTurn(text(known, "turn_id")) ?? ofCall(text(known, "call_id"))
    return { conversationId, runId: text(known, "run_id") ?? ofRun(conversationId), session: nameOf(conversationId) }
  }
}

const described = (table: string, rows: ReadonlyArray<LostRow>): string => {
  const [one, many] = words[table] ?? [`row of ${table}`, `rows of ${table}`]
  const count = `${rows.length} ${rows.length === 1 ? `${one} is` : `${many} are`} lost`
  const sequences = rows.flatMap(({ known }) => typeof known["sequence"] === "number" ? [{ sequence: known["sequence"] }] : [])
  const keys = table === "event"
    ? sequenceText(sequences.toSorted((left, right) => left.sequence - right.sequence))
    : rows.map(({ known }) => text(known, `${table === "tool_call" ? "call" : table}_id`) ?? "?").join(", ")
  return `${count}: ${keys === "" ? "?" : keys}`
}

const optional = (fields: Readonly<Record<"runId" | "conversationId" | "session", string | undefined>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** @param database the one the losses are missing in */
export const lossFaults = (database: Connection, losses: ReadonlyArray<TableLoss>): ReadonlyArray<RecordFault> => {
  const placeOf = places(database)
  return losses.flatMap(({ isUncertain, rows, table }): ReadonlyArray<RecordFault> => {
    const placed = Map.groupBy(rows, ({ known }) => {
      const { conversationId, runId } = placeOf(known)
      return `${runId ?? ""} ${conversationId ?? ""}`
    })
    const found = [...placed.values()].map((together): RecordFault => {
      const place = placeOf(together[0]?.known ?? {})
      if (table === "run") return { kind: "run-lost", ...optional(place), what: ["its own row is lost"] }
      if (table === "session") return { kind: "session-lost", ...optional(place), what: ["its own row is lost"] }
      const kind = place.conversationId !== undefined ? "session-incomplete" : place.runId !== undefined ? "run-incomplete" : "record-incomplete"
      return { kind, ...optional(place), what: [described(table, together)] }
    })
    const doubt: RecordFault = { kind: "record-incomplete", what: [`more rows of ${table} may be lost than anything still names`] }
    return isUncertain ? [...found, doubt] : found
  })
}

/** One fault per kind and Run or Session, with everything that is said of it. */
export const mergeFaults = (faults: ReadonlyArray<RecordFault>): ReadonlyArray<RecordFault> => {
  const keyOf = ({ conversationId, kind, runId }: RecordFault) => `${kind} ${conversationId ?? runId ?? ""}`
  return [...Map.groupBy(faults, keyOf).values()].map((same) =>
    same.reduce((one, other) => ({ ...other, ...one, what: [...new Set([...one.what, ...other.what])] }))
  )
}
