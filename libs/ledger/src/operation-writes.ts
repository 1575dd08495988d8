/**
 * Admits, reads and settles Operations that act on an existing Run.
 *
 * Owns: `operation` rows after a Run's admission.
 * Never owns: what an Operation does (application).
 * Ordering: the id is looked up and its row written under one write lock, so of equal Operations one is stored.
 */
import type { OperationId } from "@steno/contracts"
import { Effect } from "effect"
import { canonicalJson } from "./canonical-json.ts"
import { LedgerError, OperationIdReused } from "./ledger-errors.ts"
import type { OperationLedger } from "./operations.ts"
import { isShown } from "./run-reads.ts"
import { removedInput } from "./removed-input.ts"
import type { SqliteClient } from "./sqlite-client.ts"
import { type OperationColumns, toOperation } from "./stored-rows.ts"
import { conflict, type Write } from "./write-transaction.ts"

const selectOperation = (client: SqliteClient, operationId: OperationId): OperationColumns | undefined =>
  client.statement<OperationColumns>("SELECT * FROM operation WHERE operation_id = ?").get(operationId)

export const makeOperationWrites = (client: SqliteClient, write: Write): OperationLedger["Service"] => ({
  admitOperation: ({ operationId, input, at }) =>
    Effect.suspend(() => {
      const text = canonicalJson(input)
      return write("admitOperation", () => {
        const stored = selectOperation(client, operationId)
        if (stored !== undefined) {
          const isEqual = stored.input === text || (stored.run_id === null && stored.input === removedInput(input.operation, text))
          if (!isEqual) throw new LedgerError({ reason: new OperationIdReused({ operationId }) })
          return { ...toOperation(stored), input }
        }
        const { runId } = input
        if (!isShown(client, runId)) throw conflict(`Run ${runId}`)
        client.statement(
          `INSERT INTO operation (operation_id, run_id, input, outcome, admitted_at)
           VALUES (?, ?, ?, '{"status":"pending"}', ?)`
        ).run(operationId, runId, text, at)
        return { operationId, input, runId, outcome: { status: "pending" }, admittedAt: at }
      })
    }),

  operation: (operationId) =>
    client.attempt("operation", () => {
      const stored = selectOperation(client, operationId)
      return stored && toOperation(stored)
    }),

  pendingOperations: (runId) =>
    client.attempt("pendingOperations", () =>
      client.statement<OperationColumns>(
        "SELECT * FROM operation WHERE run_id = ? AND settled_at IS NULL ORDER BY rowid"
      ).all(runId).map(toOperation)),

  settleOperation: ({ operationId, outcome, at }) =>
    Effect.suspend(() => {
      if (outcome.status === "pending") return Effect.die(new Error("An Operation is not settled as pending"))
      return write("settleOperation", () => {
        const settled = client.statement(
          "UPDATE operation SET outcome = ?, settled_at = ? WHERE operation_id = ? AND settled_at IS NULL"
        ).run(JSON.stringify(outcome), at, operationId)
        return settled.changes === 1
      })
    })
})
