/** Runs, Sessions, Turns, events, unfinished calls, assets, Operations. Released: never edited. */
import type { Migration } from "./migration.ts"

export const firstTables: Migration = {
  version: 1,
  name: "first-tables",
  sql: `
CREATE TABLE run (
  run_id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('once', 'interactive')),
  workspace_path TEXT NOT NULL,
  harness TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'blocked', 'halted', 'failed', 'succeeded', 'cancelled')),
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  owner_boot_id TEXT,
  owner_pid INTEGER,
  owner_start_time TEXT,
  owned_at TEXT NOT NULL,
  launched_at TEXT NOT NULL,
  settled_at TEXT,
  input TEXT NOT NULL,
  CHECK ((owner_pid IS NULL) = (owner_boot_id IS NULL) AND (owner_pid IS NULL) = (owner_start_time IS NULL))
) STRICT;
CREATE INDEX run_by_workspace ON run (workspace_path, run_id);
CREATE INDEX run_owned ON run (run_id) WHERE owner_pid IS NOT NULL;

CREATE TABLE session (
  creation INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES run (run_id),
  name TEXT NOT NULL,
  parent_conversation_id TEXT REFERENCES session (conversation_id),
  parent_call_id TEXT,
  availability TEXT NOT NULL CHECK (availability IN ('open', 'detached', 'ended')),
  recovery_coordinate TEXT
) STRICT;
CREATE INDEX session_by_run ON session (run_id);

CREATE TABLE turn (
  creation INTEGER PRIMARY KEY,
  turn_id TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL REFERENCES session (conversation_id),
  origin TEXT NOT NULL CHECK (origin IN ('user', 'managed')),
  entry INTEGER NOT NULL CHECK (entry IN (0, 1)),
  admitted_at TEXT NOT NULL,
  result TEXT CHECK (result IN ('not-started', 'completed', 'failed', 'interrupted', 'lost')),
  settled_at TEXT,
  CHECK ((result IS NULL) = (settled_at IS NULL))
) STRICT;
CREATE INDEX turn_by_session ON turn (conversation_id);

CREATE TABLE event (
  conversation_id TEXT NOT NULL REFERENCES session (conversation_id),
  sequence INTEGER NOT NULL CHECK (sequence >= 1),
  turn_id TEXT NOT NULL REFERENCES turn (turn_id),
  item_id TEXT,
  first_seen INTEGER CHECK (first_seen >= 0),
  type TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  payload TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (conversation_id, sequence)
) STRICT;

CREATE TABLE tool_call (
  creation INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES run (run_id),
  conversation_id TEXT NOT NULL REFERENCES session (conversation_id),
  turn_id TEXT NOT NULL REFERENCES turn (turn_id),
  item_id TEXT NOT NULL,
  first_seen INTEGER NOT NULL CHECK (first_seen >= 0),
  origin TEXT NOT NULL CHECK (origin IN ('model', 'user', 'client', 'observed')),
  tool TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('supervising', 'awaiting_approval', 'ready', 'running', 'awaiting_input')),
  supervision TEXT,
  claim TEXT,
  process TEXT,
  started_at TEXT,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX tool_call_by_run ON tool_call (run_id);
CREATE INDEX tool_call_by_turn ON tool_call (turn_id);

CREATE TABLE asset (
  creation INTEGER PRIMARY KEY,
  asset_id TEXT NOT NULL UNIQUE,
  call_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL REFERENCES session (conversation_id),
  category TEXT NOT NULL CHECK (category IN ('output', 'payload', 'report', 'image')),
  path TEXT NOT NULL,
  digest TEXT NOT NULL,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  stream TEXT CHECK (stream IN ('output', 'stdout', 'stderr')),
  capture TEXT
) STRICT;
CREATE INDEX asset_by_session ON asset (conversation_id);

CREATE TABLE operation (
  operation_id TEXT NOT NULL PRIMARY KEY,
  run_id TEXT REFERENCES run (run_id),
  input TEXT NOT NULL,
  outcome TEXT NOT NULL,
  admitted_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
`
}
