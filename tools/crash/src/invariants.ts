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
      ...rows(
        `SELECT json_extract(payload, '$.callId') AS call, sum(type = 'tool-call-started') AS started,
                sum(type = 'tool-call-response') AS responses
         FROM event WHERE type LIKE 'tool-call-%' GROUP BY 1`
      ).filter((row) => row["started"] !== 1 || row["responses"] !== 1)
        .map((row) => `${String(row["call"])}: ${String(row["started"])} starts, ${String(row["responses"])} responses`),
      ...rows("SELECT call_id FROM tool_call").map((row) => `open row ${String(row["call_id"])}`),
      ...rows("SELECT turn_id, count(*) AS n FROM event WHERE type = 'turn-settled' GROUP BY turn_id")
        .filter((row) => row["n"] !== 1).map((row) => `${String(row["turn_id"])} settled ${String(row["n"])} times`)
    ]
  } finally {
    database.close()
  }
}

export const callIdsOf = (home: string): ReadonlyArray<string> => {
  const database = new Database(join(home, "core.sqlite"), { readonly: true })
  try {
    return database.prepare<[], { call: string }>(
      "SELECT DISTINCT json_extract(payload, '$.callId') AS call FROM event WHERE type = 'tool-call-started'"
    ).all().map((row) => row.call)
  } finally {
    database.close()
  }
}
