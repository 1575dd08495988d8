/**
 * Admits a Run, changes its owner, lets it rest.
 *
 * Owns: `run`, `session` and `operation` rows at admission; epochs.
 * Ordering: whoever takes a Run over fences every earlier owner in the same commit.
 */
import type { OperationId, RunId } from "@steno/contracts"
import { Effect } from "effect"
import { canonicalJson } from "./canonical-json.ts"
import { encodeFact, type EventLog } from "./event-log.ts"
import { LedgerError, OperationIdReused, RunRemoved } from "./ledger-errors.ts"
import { isAtWork } from "./pending-calls.ts"
import { removedInput } from "./removed-input.ts"
import type { RunAdmission, RunAdmitted, RunLedger } from "./runs.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { conflict, fenced, requireOwner, type Write } from "./write-transaction.ts"

interface StartedColumns {
  readonly input: string
  readonly run_id: RunId | null
  readonly epoch: number | null
}

/** The Run an equal Operation started before; throws `OperationIdReused` for another input, `RunRemoved` where that Run is gone. */
const admittedBefore = (client: SqliteClient, operationId: OperationId, input: string): RunAdmitted | undefined => {
  const operation = client.statement<StartedColumns>(
    `SELECT operation.input, operation.run_id, run.epoch
     FROM operation LEFT JOIN run ON run.run_id = operation.run_id WHERE operation_id = ?`
  ).get(operationId)
  if (operation === undefined) return undefined
  if (operation.run_id === null && operation.input === removedInput("start", input)) {
    throw new LedgerError({ reason: new RunRemoved({ operationId }) })
  }
  if (operation.input !== input || operation.run_id === null || operation.epoch === null) {
    throw new LedgerError({ reason: new OperationIdReused({ operationId }) })
  }
  return { repeated: true, runId: operation.run_id, epoch: operation.epoch }
}

const insertAdmission = (client: SqliteClient, admission: RunAdmission, input: string): void => {
  const { runId, conversationId, turnId, owner, admitted, at } = admission
  client.statement(
    `INSERT INTO run (run_id, kind, workspace_path, harness, state, epoch,
       owner_boot_id, owner_pid, owner_start_time, owned_at, launched_at, input)
     VALUES (?, ?, ?, ?, 'running', 1, ?, ?, ?, ?, ?, ?)`
  ).run(
    runId,
    admission.input.kind,
    admission.input.workspace,
    JSON.stringify(admitted.harness),
    owner.bootId,
    owner.pid,
    owner.startTime,
    at,
    at,
    admitted.input
  )
  client.statement("INSERT INTO session (conversation_id, run_id, name, availability) VALUES (?, ?, ?, 'open')")
    .run(conversationId, runId, admission.input.session)
  client.statement("INSERT INTO turn (turn_id, conversation_id, origin, entry, admitted_at) VALUES (?, ?, ?, ?, ?)")
    .run(turnId, conversationId, admitted.origin, admitted.entry === true ? 1 : 0, at)
  client.statement(
    `INSERT INTO operation (operation_id, run_id, input, outcome, admitted_at, settled_at)
     VALUES (?, ?, ?, '{"status":"applied"}', ?, ?)`
  ).run(admission.operationId, runId, input, at, at)
}

export const makeRunWrites = (
  client: SqliteClient,
  write: Write,
  log: EventLog
): Pick<RunLedger["Service"], "admittedRun" | "admitRun" | "takeOver" | "restRun"> => ({
  admittedRun: ({ operationId, input }) =>
    client.attempt("admittedRun", () => admittedBefore(client, operationId, canonicalJson(input))),

  admitRun: (admission) =>
    Effect.suspend(() => {
      const input = canonicalJson(admission.input)
      const fact = encodeFact("turn-admitted", admission.admitted)
      const { conversationId, turnId, runId, at } = admission
      return write("admitRun", (committed) => {
        const before = admittedBefore(client, admission.operationId, input)
        if (before !== undefined) return before
        insertAdmission(client, admission, input)
        log.append(committed, fact, { conversationId, turnId, at })
        return { repeated: false, runId, epoch: 1 }
      })
    }),

  takeOver: ({ runId, epoch, owner, state, at }) =>
    write("takeOver", () => {
      const taken = client.statement(
        `UPDATE run SET epoch = epoch + 1, owner_boot_id = ?, owner_pid = ?, owner_start_time = ?, owned_at = ?,
           state = coalesce(?, state)
         WHERE run_id = ? AND epoch = ? AND buried_at IS NULL`
      ).run(owner.bootId, owner.pid, owner.startTime, at, state ?? null, runId, epoch)
      if (taken.changes !== 1) throw fenced({ runId, epoch })
      return { runId, epoch: epoch + 1 }
    }),

  restRun: (fence, { state, at }) =>
    write("restRun", () => {
      requireOwner(client, fence)
      if (state !== "blocked") requireSettled(client, fence.runId)
      else if (isAtWork(client, fence.runId)) throw conflict(`Run ${fence.runId}`)
      putToRest(client, fence.runId, state, at)
    })
})

const isSettled = (client: SqliteClient, runId: RunId): boolean =>
  client.value(
    `SELECT 1 FROM session CROSS JOIN turn USING (conversation_id) WHERE run_id = ? AND result IS NULL LIMIT 1`
  ).get(runId) === undefined

/** Throws `Conflict` while a Turn of the Run waits for its result. */
export const requireSettled = (client: SqliteClient, runId: RunId): void => {
  if (!isSettled(client, runId)) throw conflict(`Run ${runId}`)
}

/**
 * Stores the state a Run rests in and gives up ownership; a cancelled Run ends its Sessions. A Run with a Turn that waits for a
 * person has not settled. Only inside a write transaction.
 */
export const putToRest = (client: SqliteClient, runId: RunId, state: string, at: string): void => {
  client.statement(
    `UPDATE run SET state = ?, settled_at = ?, owner_boot_id = NULL, owner_pid = NULL, owner_start_time = NULL
     WHERE run_id = ?`
  ).run(state, isSettled(client, runId) ? at : null, runId)
  if (state === "cancelled") client.statement("UPDATE session SET availability = 'ended' WHERE run_id = ?").run(runId)
}
