/** What must hold in every home after any death. */
import Database from "better-sqlite3"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Not gone, and no zombie that nobody collected yet. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Pids of processes that carry the marker of a call of this home. */
export const markedProcesses = (callIds: ReadonlyArray<string>): ReadonlyArray<number> => {
  const markers = callIds.map((id) => `STENO_CALL_ID=${id}`)
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
      return variables.some((variable) => markers.includes(variable)) ? [Number(pid)] : []
    } catch {
      return []
    }
  })
}

/** Every call with where it starts, its response, its row that awaits a person. */
const calls = `WITH calls AS (
  SELECT json_extract(payload, '$.callId') AS call, type = 'tool-call-started' AS starts, type = 'tool-call-response' AS responses, 0 AS waiting
  FROM event WHERE type LIKE 'tool-call-%'
  UNION ALL
  SELECT json_extract(block.value, '$.callId'), 1, 0, 0
  FROM event, json_each(event.payload, '$.blocks') AS block
  WHERE event.type = 'assistant-message' AND json_extract(block.value, '$.type') = 'call'
  UNION ALL
  SELECT call_id, 0, 0, 1 FROM tool_call WHERE state LIKE 'awaiting_%'
)`

/** Violations found in the database; empty when all hold. */
export const ledgerViolations = (home: string): ReadonlyArray<string> => {
  const database = new Database(join(home, "core.sqlite"), { readonly: true })
  const rows = (sql: string) => database.prepare<[], Record<string, unknown>>(sql).all()
  try {
    const integrity = rows("PRAGMA integrity_check").map((row) => String(row["integrity_check"]))
    return [
      ...(integrity.join() === "ok" ? [] : [`integrity_check: ${integrity.join()}`]),
      ...rows("SELECT conversation_id, count(*) AS n, max(sequence) AS top FROM event GROUP BY conversation_id")
        .filter((row) => row["n"] !== row["top"]).map((row) => `a gap in the sequence of ${String(row["conversation_id"])}`),
      ...rows(`${calls} SELECT call, sum(starts) AS started, sum(responses) AS responses, sum(waiting) AS waiting FROM calls GROUP BY call`)
        .filter((row) => row["started"] !== 1 || Number(row["responses"]) + Number(row["waiting"]) !== 1)
        .map((row) => `${String(row["call"])}: ${String(row["started"])} starts, ${String(row["responses"])} responses`),
      ...rows("SELECT call_id, state FROM tool_call WHERE state NOT LIKE 'awaiting_%'")
        .map((row) => `open row ${String(row["call_id"])}, ${String(row["state"])}`),
      ...rows(
        `SELECT turn_id, sum(type = 'turn-settled') AS settled,
                (SELECT count(*) FROM tool_call WHERE tool_call.turn_id = event.turn_id) AS waiting
         FROM event GROUP BY turn_id`
      ).filter((row) => row["settled"] !== (Number(row["waiting"]) > 0 ? 0 : 1))
        .map((row) => `${String(row["turn_id"])} settled ${String(row["settled"])} times, ${String(row["waiting"])} calls wait`)
    ]
  } finally {
    database.close()
  }
}

export const callIdsOf = (home: string): ReadonlyArray<string> => {
  const database = new Database(join(home, "core.sqlite"), { readonly: true })
  try {
    return database.prepare<[], { call: string }>(`${calls} SELECT DISTINCT call FROM calls`).all().map((row) => row.call)
  } finally {
    database.close()
  }
}
