/**
 * What calls that wait for a person mean for their Run.
 *
 * Owns: that a Run at work shows `blocked` while a call of it waits for a person, and `running` otherwise.
 * Limits: a Run in any other state keeps it.
 */
import type { CallState, RunId } from "@steno/contracts"
import type { SqliteClient } from "./sqlite-client.ts"

export const awaitsPerson = (state: CallState): boolean => state === "awaiting_approval" || state === "awaiting_input"

/** Only inside the write transaction that changed whether a call of the Run waits. */
export const showPending = (client: SqliteClient, runId: RunId): void => {
  client.statement(
    `UPDATE run SET state = CASE
       WHEN EXISTS (SELECT 1 FROM tool_call WHERE run_id = ? AND state IN ('awaiting_approval', 'awaiting_input'))
       THEN 'blocked' ELSE 'running' END
     WHERE run_id = ? AND state IN ('running', 'blocked')`
  ).run(runId, runId)
}

/** Whether an unsettled Turn of the Run has something at work: every one that only awaits persons may be left as it is. */
export const isAtWork = (client: SqliteClient, runId: RunId): boolean =>
  client.value(
    `SELECT 1 FROM session CROSS JOIN turn USING (conversation_id)
     WHERE session.run_id = ? AND result IS NULL AND (
       NOT EXISTS (SELECT 1 FROM tool_call WHERE tool_call.turn_id = turn.turn_id)
       OR EXISTS (SELECT 1 FROM tool_call WHERE tool_call.turn_id = turn.turn_id
         AND state NOT IN ('awaiting_approval', 'awaiting_input')))
     LIMIT 1`
  ).get(runId) !== undefined
