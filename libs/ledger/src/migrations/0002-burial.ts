/** Tombstones of Runs, lists that know only Runs without one, and what removal and Operations look rows up by. Released: never edited. */
import type { Migration } from "./migration.ts"

export const burial: Migration = {
  version: 2,
  name: "burial",
  sql: `
ALTER TABLE run ADD COLUMN buried_at TEXT CHECK (buried_at IS NULL OR owner_pid IS NULL);

DROP INDEX run_by_workspace;
CREATE INDEX run_shown ON run (run_id, state) WHERE buried_at IS NULL;
CREATE INDEX run_shown_by_workspace ON run (workspace_path, run_id, state) WHERE buried_at IS NULL;
CREATE INDEX run_resting ON run (settled_at, run_id) WHERE owner_pid IS NULL AND buried_at IS NULL;
CREATE INDEX run_buried ON run (run_id) WHERE buried_at IS NOT NULL;

CREATE INDEX event_by_turn ON event (turn_id);
CREATE INDEX session_by_parent ON session (parent_conversation_id) WHERE parent_conversation_id IS NOT NULL;
CREATE INDEX operation_by_run ON operation (run_id);
CREATE INDEX operation_pending ON operation (run_id) WHERE settled_at IS NULL;
`
}
