/** What calls of a model need: the event that starts a call, what people were asked, one answer per call; queued inputs. Released: never edited. */
import type { Migration } from "./migration.ts"

export const hostedCalls: Migration = {
  version: 3,
  name: "hosted-calls",
  sql: `
ALTER TABLE event ADD COLUMN call_id TEXT;
UPDATE OR IGNORE event SET call_id = item_id WHERE type = 'tool-call-response';
CREATE UNIQUE INDEX event_by_answered_call ON event (call_id) WHERE call_id IS NOT NULL;

DROP INDEX event_by_turn;
CREATE INDEX event_by_item ON event (turn_id, item_id);

ALTER TABLE tool_call ADD COLUMN start_sequence INTEGER CHECK (start_sequence >= 1);
ALTER TABLE tool_call ADD COLUMN content_index INTEGER CHECK (content_index >= 0);
ALTER TABLE tool_call ADD COLUMN interactions TEXT;
UPDATE tool_call SET start_sequence = (
  SELECT sequence FROM event
  WHERE event.turn_id = tool_call.turn_id AND event.item_id = tool_call.item_id AND event.type = 'tool-call-started'
);
CREATE INDEX tool_call_by_start ON tool_call (conversation_id, start_sequence);

CREATE TABLE input_queue (
  position INTEGER PRIMARY KEY,
  input_id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES run (run_id),
  conversation_id TEXT NOT NULL REFERENCES session (conversation_id),
  kind TEXT NOT NULL CHECK (kind IN ('user', 'async-bash', 'sub-conversation', 'notification')),
  payload TEXT NOT NULL,
  asset_ids TEXT NOT NULL,
  wake INTEGER NOT NULL CHECK (wake IN (0, 1)),
  accepted_at TEXT NOT NULL
) STRICT;
CREATE INDEX input_queue_by_run ON input_queue (run_id);
CREATE INDEX input_queue_by_session ON input_queue (conversation_id, position);
`
}
