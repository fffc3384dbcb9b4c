-- none, waiting, read: whether the feeds it visits have been read.
ALTER TABLE runs ADD COLUMN feeds text NOT NULL DEFAULT 'none';
-- Expired by the retention of its project.
ALTER TABLE runs ADD COLUMN expired boolean NOT NULL DEFAULT false;
-- It is being discarded and is not visible to callers. Other services keep the data that the run in needed_by needs.
ALTER TABLE runs ADD COLUMN discarding boolean NOT NULL DEFAULT false;
ALTER TABLE runs ADD COLUMN needed_by text NOT NULL DEFAULT '';

-- Columns of a run that are rarely read, apart from its row, which is read with every page.
CREATE TABLE run_details (
  run_no bigint PRIMARY KEY,
  -- The configuration it was resolved from, its secrets masked, and sealed the settings that contain them.
  config_json text NOT NULL DEFAULT '',
  secrets bytea,
  -- Result of each feed: url, outcome, addresses, error.
  feeds jsonb NOT NULL DEFAULT '[]',
  -- How its addresses were found: found_via, addresses, pages. None until it has ended.
  found jsonb
);

-- The log of a run for its owner. At most two lines per kind and subject: the first and the last.
CREATE TABLE run_log (
  run_no bigint NOT NULL,
  what text NOT NULL,
  alike text NOT NULL,
  is_last boolean NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- Lines of its kind this one stands for.
  times integer NOT NULL DEFAULT 1,
  why text NOT NULL,
  seq bigserial NOT NULL,
  PRIMARY KEY (run_no, what, alike, is_last)
);

-- Runs to be discarded: those in progress, and expired ones.
CREATE INDEX runs_discarding_idx ON runs (no) WHERE discarding OR expired;
